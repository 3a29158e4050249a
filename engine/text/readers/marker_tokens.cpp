#include "engine/text/readers/marker_tokens.h"

#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/text/readers/gguf_fields.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;

void erase(std::vector<std::string> &texts, std::string_view found)
{
    texts.erase(std::remove(texts.begin(), texts.end(), found), texts.end());
}

/// Control and user-defined tokens, and those that a file without types names by their ids.
std::vector<std::string> withoutGgufToken(const Gguf &gguf, std::vector<std::string> texts)
{
    const GgufFields fields(gguf);
    const std::vector<std::string_view> &tokens = fields.requireStrings("tokenizer.ggml.tokens");
    const std::vector<double> types = fields.numbersOf("tokenizer.ggml.token_type", tokens.size());
    for (const auto &[key, value] : gguf.metadata())
        if (key.starts_with("tokenizer.ggml.") &&
            (key.ends_with("_token_id") || key.ends_with("_token_ids")))
            for (const TokenId id : fields.idsWithin(std::string(key), tokens.size()))
                erase(texts, tokens[static_cast<std::size_t>(id)]);
    const auto whole = [&](std::size_t id) {
        const auto kind = static_cast<TokenKind>(types.empty() ? 0 : static_cast<int>(types[id]));
        return kind == TokenKind::Control || kind == TokenKind::Unknown ||
               kind == TokenKind::UserDefined || isEndMarkerText(tokens[id]);
    };
    for (std::size_t id = 0; id < tokens.size() && !texts.empty(); ++id)
        if (tokens[id].starts_with('<') &&
            std::find(texts.begin(), texts.end(), tokens[id]) != texts.end() && whole(id))
            erase(texts, tokens[id]);
    return texts;
}

/// Takes the texts of added_tokens, and then ends the parsing: they stand near the beginning of a
/// tokenizer.json, the long lists behind them.
class AddedTokenSax : public nlohmann::json_sax<json>
{
public:
    explicit AddedTokenSax(std::vector<std::string> &texts)
        : m_texts(texts)
    {}
    bool broken() const { return m_broken; }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t &) override { return true; }
    bool binary(binary_t &) override { return true; }
    bool string(string_t &text) override
    {
        if (m_inList && m_depth == 3 && m_key == "content")
            erase(m_texts, text);
        return true;
    }
    bool key(string_t &name) override
    {
        m_key = name;
        return true;
    }
    bool start_object(std::size_t) override { return enter(false); }
    bool start_array(std::size_t) override
    {
        return enter(m_depth == 1 && m_key == "added_tokens");
    }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave() && !(m_inList && m_depth == 1); }
    bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override
    {
        m_broken = true;
        return false;
    }

private:
    bool enter(bool list)
    {
        m_inList = m_inList || list;
        ++m_depth;
        return true;
    }
    bool leave()
    {
        --m_depth;
        return true;
    }

    std::vector<std::string> &m_texts;
    std::string m_key;
    int m_depth = 0;
    bool m_inList = false, m_broken = false;
};

std::vector<std::string> withoutAddedToken(const std::filesystem::path &path,
                                           std::vector<std::string> texts)
{
    const MappedFile file(path);
    return readUnchanged(file, [&] {
        AddedTokenSax sax(texts);
        const auto *begin = reinterpret_cast<const char *>(file.bytes().data());
        json::sax_parse(begin, begin + file.bytes().size(), &sax, json::input_format_t::json,
                        false);
        if (sax.broken())
            throwBadInput(path.string() + " is no valid JSON");
        return texts;
    });
}

} // namespace

std::vector<std::string> withoutToken(const ModelFile &file, std::vector<std::string> texts)
{
    if (texts.empty())
        return texts;
    if (const Gguf *gguf = file.gguf())
        return gguf->findArray("tokenizer.ggml.tokens") ? withoutGgufToken(*gguf, std::move(texts))
                                                        : std::vector<std::string>();
    const std::filesystem::path path = file.path() / "tokenizer.json";
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return {};
    return withoutAddedToken(path, std::move(texts));
}

} // namespace fireside
