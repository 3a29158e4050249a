#include "engine/text/readers/tokenizer_json.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"
#include "engine/text/readers/tokenizer_json_rules.h"
#include "engine/text/tokenizers/bpe_tokenizer.h"
#include "engine/text/tokenizers/spm_tokenizer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMaxFreeIds = 1 << 16; // between and behind those of a vocabulary
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{512} << 20;

const json &section(const json &object, const char *key)
{
    static const json null;
    if (!object.is_object())
        return null;
    const auto it = object.find(key);
    return it == object.end() ? null : *it;
}

/// A token in tokenizer_config.json: its text, or an object with the text as "content".
std::string tokenText(const json &value)
{
    const json &text = value.is_object() ? section(value, "content") : value;
    return text.is_string() ? text.get<std::string>() : std::string();
}

class JsonTokenizerReader
{
public:
    explicit JsonTokenizerReader(const fs::path &path)
        : m_path(path)
        , m_root(readJsonFile(path, kMaxFileBytes))
    {
        if (!m_root.is_object())
            throwBadInput(path.string() + " is no tokenizer: the JSON is no object");
    }

    std::unique_ptr<Tokenizer> read()
    {
        const json &model = section(m_root, "model");
        const std::string type =
            jsonStringOr(model, "type", section(model, "merges").is_array() ? "BPE" : "of no name",
                         where("model"));
        if (type != "BPE")
            throwUnsupported(m_path.string() + ": the tokenizer model type " +
                             fireside::quoted(type) + " is not supported");
        for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (!jsonStringOr(model, key, "", where("model")).empty())
                throwUnsupported(where("model") + ": '" + key + "' is not supported");

        readNormalizer(section(m_root, "normalizer"), where("normalizer"), m_common.normalizer);
        const auto rules = readPreTokenizer(section(m_root, "pre_tokenizer"),
                                            where("pre_tokenizer"), m_common.preTokenizer);
        const auto decoder = readDecoder(section(m_root, "decoder"), where("decoder"));
        const bool byteFallback = jsonBoolOr(model, "byte_fallback", false, where("model"));

        readVocabulary(model, byteFallback);
        readFraming();
        m_common.special = SpecialTokens(std::move(m_added));
        m_common.stripFirstSpace = decoder.stripFirstSpace;
        MergeTable merges = readMerges(model);
        const bool wholeWords = jsonBoolOr(model, "ignore_merges", false, where("model"));
        if (rules.byteLevel || decoder.byteLevel)
            return std::make_unique<BpeTokenizer>(
                BpeTokenizer::Parts{std::move(m_common), std::move(merges), wholeWords});
        SpmTokenizer::Parts parts;
        parts.common = std::move(m_common);
        parts.merges = std::move(merges);
        parts.byteFallback = byteFallback;
        parts.fuseUnknown = jsonBoolOr(model, "fuse_unk", false, where("model"));
        parts.wholeWordsFirst = wholeWords;
        parts.spacesAreMarked = decoder.marksSpaces;
        return std::make_unique<SpmTokenizer>(std::move(parts));
    }

private:
    std::string where(const std::string &key) const { return m_path.string() + ": " + key; }

    struct Entry
    {
        std::string text;
        TokenKind kind = TokenKind::Unused;
        bool taken = false;
    };

    static std::size_t checkedId(const json &value, const std::string &place)
    {
        if (!value.is_number_unsigned())
            throwBadInput(place + " has a bad id: " + quotedJson(value));
        return value.get<std::size_t>();
    }

    static std::string quotedJson(const json &value)
    {
        return printable(value.dump(-1, ' ', false, json::error_handler_t::replace), kLongestQuote);
    }

    /// A file that names few tokens must not ask for memory for millions.
    bool isFar(std::uint64_t id) const { return id >= m_named + kMaxFreeIds; }

    std::size_t tableId(const json &value, const std::string &place) const
    {
        const std::size_t id = checkedId(value, place);
        if (isFar(id))
            throwBadInput(place + " has the id " + std::to_string(id) + ", far above the file's " +
                          std::to_string(m_named) + " tokens");
        return id;
    }

    Entry &entryAt(std::size_t id)
    {
        if (id >= m_entries.size())
            m_entries.resize(id + 1);
        return m_entries[id];
    }

    void readVocabulary(const json &model, bool byteFallback)
    {
        const json &vocab = section(model, "vocab");
        if (!vocab.is_object())
            throwBadInput(where("model.vocab") + " is no object");
        m_named = vocab.size() + section(m_root, "added_tokens").size();
        for (const auto &[text, value] : vocab.items()) {
            if (!value.is_number_unsigned() || isFar(value.get<std::uint64_t>()))
                tableId(value, where("model.vocab: " + fireside::quoted(text)));
            Entry &entry = entryAt(value.get<std::size_t>());
            if (entry.taken)
                throwBadInput(where("model.vocab") + ": " + fireside::quoted(entry.text) + " and " +
                              fireside::quoted(text) + " have the same id");
            const bool isByte = byteFallback && parseByteToken(text);
            entry = {text, isByte ? TokenKind::Byte : TokenKind::Normal, true};
        }
        readAddedTokens();
        Vocabulary &tokens = m_common.vocabulary;
        tokens.reserve(m_entries.size(), 8 * m_entries.size());
        for (const Entry &entry : m_entries)
            tokens.add(entry.text, entry.kind);
        if (const auto twice = tokens.finish())
            throwBadInput(where("added_tokens") + ": the ids " + std::to_string(twice->first) +
                          " and " + std::to_string(twice->second) + " have the same text");
        for (const AddedToken &added : m_added)
            if (added.trustedOnly)
                tokens.setTrustedOnly(added.id);
        const std::string unknown = jsonStringOr(model, "unk_token", "", where("model"));
        if (unknown.empty())
            return;
        m_common.unknown = tokens.find(unknown);
        if (!m_common.unknown)
            throwBadInput(where("model.unk_token") + ": " + fireside::quoted(unknown) +
                          " is not in the vocabulary");
    }

    void readAddedTokens()
    {
        const json &list = section(m_root, "added_tokens");
        if (!list.is_null() && !list.is_array())
            throwBadInput(where("added_tokens") + " is no list");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string place = where("added_tokens[" + std::to_string(i) + "]");
            const json &item = list[i];
            AddedToken token;
            token.text = jsonString(item, "content", place);
            const std::size_t id = tableId(section(item, "id"), place);
            token.id = static_cast<TokenId>(id);
            token.leftStrip = jsonBoolOr(item, "lstrip", false, place);
            token.rightStrip = jsonBoolOr(item, "rstrip", false, place);
            token.singleWord = jsonBoolOr(item, "single_word", false, place);
            token.normalized = jsonBoolOr(item, "normalized", false, place);
            const bool special =
                jsonBoolOr(item, "special", false, place) || isEndMarkerText(token.text);
            token.trustedOnly = special || looksLikeMarker(token.text);
            Entry &entry = entryAt(id);
            if (entry.taken && entry.text != token.text)
                throwBadInput(place + ": " + fireside::quoted(token.text) + " has the id of " +
                              fireside::quoted(entry.text));
            // Byte tokens stay bytes: they are text, even where the file calls them special.
            if (!entry.taken || entry.kind != TokenKind::Byte)
                entry = {token.text, special ? TokenKind::Control : TokenKind::UserDefined, true};
            if (!token.text.empty())
                m_added.push_back(std::move(token));
        }
    }

    MergeTable readMerges(const json &model) const
    {
        const json &list = section(model, "merges");
        if (!list.is_array())
            throwBadInput(where("model.merges") + " is no list");
        const Vocabulary &tokens = m_common.vocabulary;
        MergeTable merges;
        merges.reserve(list.size());
        std::string left, right;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto fail = [&](const char *reason) {
                throwBadInput(where("model.merges[" + std::to_string(i) + "]") + " (" +
                              quotedJson(list[i]) + ") " + reason);
            };
            if (!splitMerge(list[i], left, right))
                fail("is no pair of tokens");
            const auto leftId = tokens.find(left), rightId = tokens.find(right);
            const auto result = tokens.find(left + right);
            if (!leftId || !rightId || !result)
                fail("names a token that is not in the vocabulary");
            // A merge must not build a control token out of ordinary text.
            if (tokens.isReachable(*result))
                merges.insert(*leftId, *rightId, {static_cast<std::uint32_t>(i), *result});
        }
        return merges;
    }

    /// "a b" or ["a", "b"]
    static bool splitMerge(const json &merge, std::string &left, std::string &right)
    {
        if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
            left = merge[0].get_ref<const std::string &>();
            right = merge[1].get_ref<const std::string &>();
            return true;
        }
        if (!merge.is_string())
            return false;
        const auto &text = merge.get_ref<const std::string &>();
        const std::size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
            return false;
        left = text.substr(0, space);
        right = text.substr(space + 1);
        return true;
    }

    void readFraming()
    {
        readPostProcessor(section(m_root, "post_processor"), where("post_processor"));
        m_config = readBeside("tokenizer_config.json");
        const json map = readBeside("special_tokens_map.json");
        const json generation = readBeside("generation_config.json");
        const json config = readBeside("config.json");
        // Models that also see pictures keep the language model's part in a section of its own.
        const std::array sources{std::pair(&generation, "generation_config.json"),
                                 std::pair(&config, "config.json"),
                                 std::pair(&section(config, "text_config"), "config.json")};
        const auto named = [&](const char *textKey, const char *idKey) -> std::optional<TokenId> {
            for (const json *source : {static_cast<const json *>(&m_config), &map})
                if (const auto id = m_common.vocabulary.find(tokenText(section(*source, textKey))))
                    return id;
            for (const auto &[source, name] : sources)
                for (const TokenId id : idsIn(*source, name, idKey))
                    return id;
            return std::nullopt;
        };
        m_common.bos = named("bos_token", "bos_token_id");
        if (!m_common.bos && !m_common.prefix.empty())
            m_common.bos = m_common.prefix.front();
        m_common.eos = named("eos_token", "eos_token_id");
        for (const char *usual :
             {"<|eot_id|>", "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<eos>", "</s>"})
            if (!m_common.eos)
                if (const auto id = m_common.vocabulary.find(usual);
                    id && m_common.vocabulary.isControl(*id))
                    m_common.eos = id;
        for (const auto &[source, name] : sources)
            for (const TokenId id : idsIn(*source, name, "eos_token_id"))
                m_common.endMarkers.push_back(id);
        for (const json *source : {static_cast<const json *>(&m_config), &map})
            for (const char *key : {"eos_token", "eot_token", "eom_token"})
                for (const TokenId id : tokensIn(section(*source, key)))
                    m_common.endMarkers.push_back(id);
        applyFramingFlags();
    }

    /// Some tokenizer classes of transformers frame by these flags and not by the post-processor.
    void applyFramingFlags()
    {
        const std::string name = tokenText(section(m_config, "tokenizer_class"));
        const bool obeys = name.starts_with("Llama") || name.starts_with("CodeLlama") ||
                           name.starts_with("Gemma") || name.starts_with("Cohere");
        if (!obeys)
            return;
        const auto apply = [&](const char *key, const std::optional<TokenId> &id,
                               std::vector<TokenId> &place) {
            const json &flag = section(m_config, key);
            if (!flag.is_boolean() || !id)
                return;
            if (!flag.get<bool>())
                std::erase(place, *id);
            else if (std::find(place.begin(), place.end(), *id) == place.end())
                place.push_back(*id);
        };
        apply("add_bos_token", m_common.bos, m_common.prefix);
        apply("add_eos_token", m_common.eos, m_common.suffix);
    }

    /// A file beside this one, null when absent.
    json readBeside(const char *name) const
    {
        const fs::path path = m_path.parent_path() / name;
        std::error_code error;
        if (!fs::is_regular_file(path, error))
            return {};
        return readJsonFile(path, kMaxFileBytes);
    }

    /// The tokens that a text or a list of texts names.
    std::vector<TokenId> tokensIn(const json &value) const
    {
        std::vector<TokenId> ids;
        const auto add = [&](const json &one) {
            if (const auto id = m_common.vocabulary.find(tokenText(one)))
                ids.push_back(*id);
        };
        if (value.is_array())
            std::for_each(value.begin(), value.end(), add);
        else
            add(value);
        return ids;
    }

    /// The ids under a key of a file beside this one: none, one or a list.
    std::vector<TokenId> idsIn(const json &file, const char *name, const char *key) const
    {
        const json &value = section(file, key);
        const std::string place = (m_path.parent_path() / name).string() + ": '" + key + '\'';
        std::vector<TokenId> ids;
        if (value.is_array())
            for (const json &one : value)
                ids.push_back(knownId(one, place));
        else if (!value.is_null())
            ids.push_back(knownId(value, place));
        return ids;
    }

    void readPostProcessor(const json &rule, const std::string &place)
    {
        if (rule.is_null())
            return;
        const std::string type = jsonString(rule, "type", place);
        if (type == "Sequence") {
            for (const json &part : section(rule, "processors"))
                readPostProcessor(part, place + ".processors");
        } else if (type == "TemplateProcessing") {
            readTemplate(rule, place);
        } else if (type == "RobertaProcessing" || type == "BertProcessing") {
            // [text, id] pairs around the text
            m_common.prefix.push_back(pairId(section(rule, "cls"), place + ".cls"));
            m_common.suffix.push_back(pairId(section(rule, "sep"), place + ".sep"));
        } else if (type != "ByteLevel") { // which only trims offsets
            throwUnsupported(place + ": the post-processor type " + fireside::quoted(type) +
                             " is not supported");
        }
    }

    TokenId pairId(const json &pair, const std::string &place) const
    {
        if (!pair.is_array() || pair.size() != 2)
            throwBadInput(place + " is no pair of text and id");
        return knownId(pair[1], place);
    }

    TokenId knownId(const json &value, const std::string &place) const
    {
        const std::size_t id = checkedId(value, place);
        if (id >= m_common.vocabulary.size())
            throwBadInput(place + ": the id " + std::to_string(id) +
                          " is outside the vocabulary of " +
                          std::to_string(m_common.vocabulary.size()) + " tokens");
        return static_cast<TokenId>(id);
    }

    void readTemplate(const json &rule, const std::string &place)
    {
        const json &parts = section(rule, "single");
        if (!parts.is_array())
            throwBadInput(place + ": 'single' is no list");
        bool behindText = false;
        for (const json &part : parts) {
            if (!section(part, "Sequence").is_null()) {
                behindText = true;
                continue;
            }
            const std::string name = jsonString(section(part, "SpecialToken"), "id", place);
            const json &ids =
                section(section(section(rule, "special_tokens"), name.c_str()), "ids");
            if (!ids.is_array())
                throwBadInput(place + ": no ids for the special token " + fireside::quoted(name));
            for (const json &id : ids)
                (behindText ? m_common.suffix : m_common.prefix).push_back(knownId(id, place));
        }
    }

    fs::path m_path;
    json m_root, m_config;
    std::vector<Entry> m_entries;
    std::size_t m_named = 0; // tokens the file names
    std::vector<AddedToken> m_added;
    TokenizerCommon m_common;
};

} // namespace

std::unique_ptr<Tokenizer> makeTokenizerFromJson(const fs::path &path)
{
    return JsonTokenizerReader(path).read();
}

} // namespace fireside
