#include "engine/convert/tokenizer_keys.h"

#include "engine/convert/merge_order.h"
#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"
#include "engine/text/readers/json_fields.h"
#include "engine/text/readers/json_vocabulary.h"
#include "engine/text/readers/tokenizer_json_rules.h"
#include "engine/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxTokenizerBytes = std::uintmax_t{512} << 20;
constexpr std::string_view kSpaceMark = "\xE2\x96\x81"; // ▁
constexpr const char *kTokenizerFile = "tokenizer.json";

/// The rules of a section, those in sequences one by one.
std::vector<json> rulesIn(const json &section)
{
    if (!section.is_object())
        return {};
    const json &type = jsonMember(section, "type");
    if (type != "Sequence")
        return {section};
    std::vector<json> rules;
    for (const char *list : {"normalizers", "pretokenizers"})
        for (const json &part : jsonMember(section, list))
            for (json &rule : rulesIn(part))
                rules.push_back(std::move(rule));
    return rules;
}

std::string patternOf(const json &rule)
{
    const json &pattern = jsonMember(rule, "pattern");
    for (const char *kind : {"String", "Regex"})
        if (jsonMember(pattern, kind).is_string())
            return jsonMember(pattern, kind).get<std::string>();
    return {};
}

/// What replaces what, or "".
std::string replacement(const json &rule)
{
    const json &with = jsonMember(rule, "content");
    return jsonMember(rule, "type") == "Replace" && with.is_string()
               ? patternOf(rule) + " > " + with.get<std::string>()
               : "";
}

class TokenizerWriter
{
public:
    TokenizerWriter(const fs::path &folder, std::size_t rows, GgufWriter &out)
        : m_folder(folder)
        , m_rows(rows)
        , m_out(out)
        , m_root(readJsonFile(folder / kTokenizerFile, kMaxTokenizerBytes))
        , m_tokenizer(Tokenizer::fromTokenizerJson(folder / kTokenizerFile))
        , m_vocabulary(readJsonVocabulary(m_root, {}, where("")))
        , m_normalizers(rulesIn(jsonMember(m_root, "normalizer")))
        , m_preTokenizers(rulesIn(jsonMember(m_root, "pre_tokenizer")))
    {
        for (std::size_t i = 0; i < m_vocabulary.tokens.size(); ++i)
            m_texts.emplace_back(m_vocabulary.tokens.text(static_cast<TokenId>(i)));
    }

    void write()
    {
        if (m_texts.size() > m_rows)
            throwBadInput(where("") + std::to_string(m_texts.size()) +
                          " tokens, the model's embedding has " + std::to_string(m_rows));
        const std::string_view kind = m_tokenizer->kind();
        const json &model = jsonMember(m_root, "model");
        if (!jsonMember(model, "merges").is_null())
            writeBpe(model);
        else if (kind == "WordPiece")
            writeWordPiece(model);
        else if (kind == "Unigram")
            writeUnigram(model);
        else
            refuse("its model " + std::string(kind));
        writeSpecialIds();
    }

private:
    std::string where(const std::string &key) const
    {
        return printable((m_folder / kTokenizerFile).string()) + ": " + key;
    }
    [[noreturn]] void refuse(const std::string &what) const
    {
        throwUnsupported(where("not supported: in a GGUF file: ") + what);
    }
    bool has(const std::vector<json> &rules, const char *type) const
    {
        return std::any_of(rules.begin(), rules.end(),
                           [&](const json &rule) { return jsonMember(rule, "type") == type; });
    }

    void writeBpe(const json &model)
    {
        const auto affix = [&](const char *key) {
            return !jsonStringOr(model, key, "", where("model")).empty();
        };
        if (affix("continuing_subword_prefix") || affix("end_of_word_suffix"))
            refuse("marks within words");
        const bool bytes = has(m_preTokenizers, "ByteLevel") || has(m_normalizers, "ByteLevel");
        return bytes ? writeByteBpe(model) : writeCharacterBpe(model);
    }

    void writeByteBpe(const json &model)
    {
        for (const json &rule : m_normalizers)
            if (const json &type = jsonMember(rule, "type"); type != "NFC" && type != "ByteLevel")
                refuse("the normalizer " + quotedJson(type));
        PreTokenizer rules;
        const PreTokenizerFacts facts = readPreTokenizer(jsonMember(m_root, "pre_tokenizer"),
                                                         where("pre_tokenizer"), true, rules);
        rules.setBytesOut(!facts.mapsLast);
        const auto name =
            PreTokenizer::nameOf(rules, jsonBoolOr(model, "ignore_merges", false, where("model")));
        if (!name)
            refuse("splitting rules that have no name there");
        m_out.string("tokenizer.ggml.model", "gpt2");
        m_out.string("tokenizer.ggml.pre", *name);
        writeTokens();
        writeMerges(mergePairsOf(model, where("")));
        writeFraming();
    }

    /// Symbols are characters, "▁" stands for a space: SentencePiece's, or a list of merges.
    void writeCharacterBpe(const json &model)
    {
        bool prepends = false;
        const std::string marks = " > " + std::string(kSpaceMark);
        for (const json &rule : m_normalizers) {
            const json &type = jsonMember(rule, "type");
            const bool prepend = type == "Prepend" && jsonMember(rule, "prepend") == kSpaceMark;
            prepends = prepends || prepend;
            if (!prepend && replacement(rule) != ' ' + marks)
                refuse("the normalizer " + quotedJson(rule));
        }
        for (const json &rule : m_preTokenizers) {
            const json &type = jsonMember(rule, "type");
            if (type == "Metaspace")
                prepends = prepends || prependsSpace(rule);
            else if (type != "Split" || patternOf(rule) != " ")
                refuse("the pre-tokenizer " + quotedJson(type));
        }
        const MergePairs merges = mergePairsOf(model, where(""));
        if (const auto scores = scoresOf(merges, m_vocabulary.tokens)) {
            m_out.string("tokenizer.ggml.model", "llama");
            m_out.string("tokenizer.ggml.pre", "default");
            writeTokens();
            writeScores(*scores);
            m_out.boolean("tokenizer.ggml.add_space_prefix", prepends);
        } else if (!prepends && linesStandAlone()) {
            m_out.string("tokenizer.ggml.model", "gemma4");
            writeTokens();
            writeMerges(merges);
        } else {
            refuse("merges that no scores of tokens stand for");
        }
        writeFraming();
    }

    /// No token goes over the end of a line, where "gemma4" cuts.
    bool linesStandAlone() const
    {
        return std::none_of(m_texts.begin(), m_texts.end(), [](const std::string &text) {
            return text.find('\n') != std::string::npos &&
                   text.find_first_not_of('\n') != std::string::npos;
        });
    }

    static bool prependsSpace(const json &rule)
    {
        const json &scheme = jsonMember(rule, "prepend_scheme");
        if (scheme.is_string())
            return scheme != "never";
        return jsonMember(rule, "add_prefix_space") != json(false);
    }

    /// Tokens at the beginning of words get a mark there, those within lose theirs.
    void writeWordPiece(const json &model)
    {
        const json &rule = jsonMember(m_root, "normalizer");
        if (m_normalizers.size() != 1 || jsonMember(rule, "type") != "BertNormalizer" ||
            m_preTokenizers.size() != 1 || !has(m_preTokenizers, "BertPreTokenizer"))
            refuse("other rules than BERT's before WordPiece");
        const std::string within =
            jsonStringOr(model, "continuing_subword_prefix", "##", where("model"));
        for (std::size_t i = 0; i < m_texts.size(); ++i) {
            std::string &text = m_texts[i];
            if (text.starts_with('[') && text.ends_with(']'))
                continue;
            if (text.starts_with(within) && text.size() > within.size())
                text.erase(0, within.size());
            else
                text.insert(0, kSpaceMark);
        }
        m_out.string("tokenizer.ggml.model", "bert");
        writeTokens();
        const bool lowercase = jsonBoolOr(rule, "lowercase", true, where("normalizer"));
        m_out.boolean("tokenizer.ggml.normalizer.lowercase", lowercase);
        m_out.boolean("tokenizer.ggml.normalizer.strip_accents",
                      jsonBoolOr(rule, "strip_accents", lowercase, where("normalizer")));
        const Framing framing = framingOf();
        if (framing.prefix.size() == 1) {
            writeId("bos_token_id", framing.prefix[0]);
            writeId("cls_token_id", framing.prefix[0]);
        }
        if (framing.suffix.size() == 1)
            writeId("seperator_token_id", framing.suffix[0]); // the format's spelling
    }

    void writeUnigram(const json &model)
    {
        if (jsonBoolOr(model, "byte_fallback", false, where("model")))
            refuse("tokens of bytes in a unigram model");
        std::string characters;
        bool merges = false, prepends = false;
        for (const json &rule : m_normalizers) {
            if (jsonMember(rule, "type") == "Precompiled") {
                characters = decodeBase64(jsonString(rule, "precompiled_charsmap", where("")))
                                 .value_or(""); // read once before, and right
            } else if (const std::string text = replacement(rule);
                       text == " {2,} > " + std::string(kSpaceMark) || text == " {2,} >  ") {
                merges = true;
            } else {
                refuse("the normalizer " + quotedJson(jsonMember(rule, "type")));
            }
        }
        for (const json &rule : m_preTokenizers) {
            const json &type = jsonMember(rule, "type");
            if (type == "WhitespaceSplit")
                merges = true;
            else if (type == "Metaspace")
                prepends = prependsSpace(rule);
            else
                refuse("the pre-tokenizer " + quotedJson(type));
        }
        m_out.string("tokenizer.ggml.model", "t5");
        m_out.string("tokenizer.ggml.pre", "default");
        writeTokens();
        const std::vector<double> &scores = m_vocabulary.scores;
        writeScores(std::vector<float>(scores.begin(), scores.end()));
        m_out.boolean("tokenizer.ggml.add_space_prefix", prepends);
        m_out.boolean("tokenizer.ggml.remove_extra_whitespaces", merges);
        if (!characters.empty())
            m_out.u8Array(
                "tokenizer.ggml.precompiled_charsmap",
                {reinterpret_cast<const std::uint8_t *>(characters.data()), characters.size()});
        writeFraming();
    }

    void writeTokens()
    {
        std::vector<std::int32_t> types;
        for (std::size_t i = 0; i < m_rows; ++i) {
            const bool named = i < m_texts.size() && !m_texts[i].empty();
            const auto id = static_cast<TokenId>(i);
            TokenKind kind = named ? m_vocabulary.tokens.kind(id) : TokenKind::Unused;
            if (named && id == m_tokenizer->unknown() && kind == TokenKind::Control)
                kind = TokenKind::Unknown;
            types.push_back(static_cast<std::int32_t>(kind));
            if (i >= m_texts.size())
                m_texts.emplace_back();
            if (!named)
                m_texts[i] = "[PAD" + std::to_string(i) + ']';
        }
        m_out.strings("tokenizer.ggml.tokens", m_texts);
        m_out.i32Array("tokenizer.ggml.token_type", types);
    }

    void writeScores(std::vector<float> scores)
    {
        scores.resize(m_rows, -1e4f);
        m_out.f32Array("tokenizer.ggml.scores", scores);
    }

    void writeMerges(const MergePairs &merges)
    {
        std::vector<std::string> lines;
        for (const auto &[left, right] : merges) {
            if ((left + right).find(' ') != std::string::npos)
                refuse("merges of tokens with spaces");
            lines.push_back(left + ' ' + right);
        }
        m_out.strings("tokenizer.ggml.merges", lines);
    }

    struct Framing
    {
        std::vector<TokenId> prefix, suffix;
    };
    /// What is put around a text, found by encoding one.
    Framing framingOf() const
    {
        const MarkedText text = MarkedText::fromUser("a");
        const std::vector<TokenId> plain = m_tokenizer->encode(text, false);
        const std::vector<TokenId> whole = m_tokenizer->encode(text, true);
        const auto it = std::search(whole.begin(), whole.end(), plain.begin(), plain.end());
        if (it == whole.end())
            return {};
        return {{whole.begin(), it}, {it + static_cast<std::ptrdiff_t>(plain.size()), whole.end()}};
    }

    /// Of several tokens before a text none is added: such models have them in their templates.
    void writeFraming()
    {
        const Framing framing = framingOf();
        const bool begins = framing.prefix.size() == 1, ends = framing.suffix.size() == 1;
        if (begins || m_tokenizer->bos())
            writeId("bos_token_id", begins ? framing.prefix[0] : *m_tokenizer->bos());
        if (ends || m_tokenizer->eos())
            writeId("eos_token_id", ends ? framing.suffix[0] : *m_tokenizer->eos());
        m_out.boolean("tokenizer.ggml.add_bos_token", begins);
        m_out.boolean("tokenizer.ggml.add_eos_token", ends);
        writeTurnEnd(ends ? framing.suffix[0] : m_tokenizer->eos().value_or(-1));
    }

    /// A second token that ends replies.
    void writeTurnEnd(TokenId eos)
    {
        for (std::size_t i = 0; i < m_vocabulary.tokens.size(); ++i)
            if (const auto id = static_cast<TokenId>(i);
                id != eos && m_tokenizer->endsGeneration(id))
                return writeId("eot_token_id", id);
    }

    void writeId(const char *name, TokenId id)
    {
        m_out.u32(std::string("tokenizer.ggml.") + name, static_cast<std::uint32_t>(id));
    }

    void writeSpecialIds()
    {
        if (const auto unknown = m_tokenizer->unknown())
            writeId("unknown_token_id", *unknown);
        const fs::path path = m_folder / "tokenizer_config.json";
        std::error_code error;
        const json config =
            fs::is_regular_file(path, error) ? readJsonFile(path, kMaxTokenizerBytes) : json();
        for (const auto &[key, name] : {std::pair("pad_token", "padding_token_id"),
                                        std::pair("mask_token", "mask_token_id")}) {
            const json &value = jsonMember(config, key);
            const json &text = value.is_object() ? jsonMember(value, "content") : value;
            const auto id = text.is_string() ? m_tokenizer->find(text.get<std::string>())
                                             : std::optional<TokenId>();
            if (id)
                writeId(name, *id);
        }
    }

    const fs::path &m_folder;
    std::size_t m_rows;
    GgufWriter &m_out;
    const json m_root;
    const std::unique_ptr<Tokenizer> m_tokenizer;
    const JsonVocabulary m_vocabulary;
    const std::vector<json> m_normalizers, m_preTokenizers;
    std::vector<std::string> m_texts; // by id, as the GGUF has them
};

} // namespace

bool hasTokenizer(const fs::path &folder)
{
    std::error_code error;
    return fs::is_regular_file(folder / kTokenizerFile, error);
}

void writeTokenizerKeys(const fs::path &folder, std::size_t rows, GgufWriter &out)
{
    TokenizerWriter(folder, rows, out).write();
}

} // namespace fireside
