#include "engine/text/readers/tokenizer_json.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"
#include "engine/files/mapped_file.h"
#include "engine/text/readers/json_fields.h"
#include "engine/text/readers/json_vocabulary.h"
#include "engine/text/readers/long_lists.h"
#include "engine/text/readers/tokenizer_json_rules.h"
#include "engine/text/tokenizers/bpe_tokenizer.h"
#include "engine/text/tokenizers/spm_tokenizer.h"
#include "engine/text/tokenizers/unigram_tokenizer.h"
#include "engine/text/tokenizers/word_level_tokenizer.h"
#include "engine/text/tokenizers/wordpiece_tokenizer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{512} << 20;

/// A token in tokenizer_config.json: its text, or an object with the text as "content".
std::string tokenText(const json &value)
{
    const json &text = value.is_object() ? jsonMember(value, "content") : value;
    return text.is_string() ? text.get<std::string>() : std::string();
}

class JsonTokenizerReader
{
public:
    JsonTokenizerReader(const fs::path &path, const json &root, LongLists &lists)
        : m_path(path)
        , m_root(root)
        , m_lists(lists)
    {
        if (!m_root.is_object())
            throwBadInput(path.string() + " is no tokenizer: the JSON is no object");
    }

    std::unique_ptr<Tokenizer> read()
    {
        const json &model = jsonMember(m_root, "model");
        const std::string type = typeOfModel(model);
        const auto normalizer = readNormalizer(jsonMember(m_root, "normalizer"),
                                               where("normalizer"), m_common.normalizer);
        m_continuing = jsonStringOr(model, "continuing_subword_prefix", "", where("model"));
        m_ending = jsonStringOr(model, "end_of_word_suffix", "", where("model"));
        JsonVocabulary vocabulary = readJsonVocabulary(m_root, m_lists, where(""));
        m_common.vocabulary = std::move(vocabulary.tokens);
        m_common.special = SpecialTokens(std::move(vocabulary.added));
        m_bytesOut = type == "BPE" && bytesSuffice(model);
        const auto rules =
            readPreTokenizer(jsonMember(m_root, "pre_tokenizer"), where("pre_tokenizer"),
                             m_bytesOut, m_common.preTokenizer);
        m_bytesOut = m_bytesOut && (rules.byteLevel || normalizer.mapsBytes > 0);
        m_common.preTokenizer.setBytesOut(m_bytesOut && !rules.mapsLast);
        readUnknown(model, type);
        readFraming();
        if (type == "BPE")
            return makeBpe(model);
        return makeOther(type, model, vocabulary);
    }

private:
    std::string where(const std::string &key) const { return m_path.string() + ": " + key; }

    /// Old files do not say it: WordPiece has what WordLevel has, and more.
    std::string typeOfModel(const json &model) const
    {
        const char *guess = jsonMember(model, "merges").is_array()                     ? "BPE"
                            : jsonMember(model, "vocab").is_array()                    ? "Unigram"
                            : !jsonMember(model, "max_input_chars_per_word").is_null() ? "WordPiece"
                            : jsonMember(model, "vocab").is_object()                   ? "WordLevel"
                                                                     : "of no name";
        std::string type = jsonStringOr(model, "type", guess, where("model"));
        for (const char *known : {"BPE", "WordPiece", "WordLevel", "Unigram"})
            if (type == known)
                return type;
        throwUnsupported(m_path.string() + ": the tokenizer model type " + fireside::quoted(type) +
                         " is not supported");
    }

    /// A byte-level model that can start from bytes: nothing marks its characters, and what happens
    /// to those without a token is either simple or does not occur.
    bool bytesSuffice(const json &model) const
    {
        if (!m_continuing.empty() || !m_ending.empty())
            return false;
        bool complete = true;
        for (unsigned byte = 0; byte < 256; ++byte)
            complete = complete && m_common.vocabulary.findReachable(
                                       toByteLevel(std::string(1, static_cast<char>(byte))));
        return complete || !(jsonBoolOr(model, "byte_fallback", false, where("model")) ||
                             jsonBoolOr(model, "fuse_unk", false, where("model")));
    }

    void readUnknown(const json &model, const std::string &type)
    {
        if (type == "Unigram") {
            const json &id = jsonMember(model, "unk_id");
            if (!id.is_null())
                m_common.unknown = knownId(id, where("model.unk_id"));
            return;
        }
        // The two models of whole words have one even when the file does not say so.
        const bool needsOne = type == "WordPiece" || type == "WordLevel";
        const std::string unknown = jsonStringOr(model, "unk_token",
                                                 type == "WordPiece" ? "[UNK]"
                                                 : needsOne          ? "<unk>"
                                                                     : "",
                                                 where("model"));
        if (unknown.empty())
            return;
        m_common.unknown = m_common.vocabulary.find(unknown);
        if (!m_common.unknown && !needsOne)
            throwBadInput(where("model.unk_token") + ": " + fireside::quoted(unknown) +
                          " is not in the vocabulary");
    }

    /// Rules that only give the bytes of tokens need no decoder.
    DecoderFacts readDecoderOf(const std::string &type)
    {
        Decoder decoder;
        const json &rule = jsonMember(m_root, "decoder");
        const DecoderFacts facts = readDecoder(rule, where("decoder"), decoder);
        m_common.stripFirstSpace = facts.stripFirstSpace && facts.sentencePiece;
        const bool plain =
            m_bytesOut ? facts.byteLevel || rule.is_null() : type == "BPE" && facts.sentencePiece;
        if (!plain)
            m_common.decoder = std::move(decoder);
        return facts;
    }

    std::unique_ptr<Tokenizer> makeBpe(const json &model)
    {
        const DecoderFacts decoder = readDecoderOf("BPE");
        MergeTable merges =
            readJsonMerges(model, m_lists, m_common.vocabulary, m_continuing, where(""));
        const bool wholeWords = jsonBoolOr(model, "ignore_merges", false, where("model"));
        if (m_bytesOut)
            return std::make_unique<BpeTokenizer>(
                BpeTokenizer::Parts{std::move(m_common), std::move(merges), wholeWords});
        SpmTokenizer::Parts parts;
        parts.common = std::move(m_common);
        parts.merges = std::move(merges);
        parts.byteFallback = jsonBoolOr(model, "byte_fallback", false, where("model"));
        parts.fuseUnknown = jsonBoolOr(model, "fuse_unk", false, where("model"));
        parts.wholeWordsFirst = wholeWords;
        parts.spacesAreMarked = decoder.marksSpaces;
        parts.continuing = m_continuing;
        parts.ending = m_ending;
        return std::make_unique<SpmTokenizer>(std::move(parts));
    }

    std::unique_ptr<Tokenizer> makeOther(const std::string &type, const json &model,
                                         JsonVocabulary &vocabulary)
    {
        constexpr double unknownPenalty = 10; // below the lowest score of the vocabulary
        readDecoderOf(type);
        m_common.invalid = InvalidBytes::Replaced;
        if (type == "WordLevel")
            return std::make_unique<WordLevelTokenizer>(std::move(m_common));
        if (type == "WordPiece") {
            WordPieceTokenizer::Parts parts;
            parts.continuing =
                jsonStringOr(model, "continuing_subword_prefix", "##", where("model"));
            parts.longestWord = jsonCountOr(model, "max_input_chars_per_word", 100, where("model"));
            parts.common = std::move(m_common);
            return std::make_unique<WordPieceTokenizer>(std::move(parts));
        }
        UnigramTokenizer::Parts parts;
        parts.scores = std::move(vocabulary.scores);
        parts.unknownScore = vocabulary.lowestScore - unknownPenalty;
        parts.byteFallback = jsonBoolOr(model, "byte_fallback", false, where("model"));
        if (parts.byteFallback && ByteTokens(m_common.vocabulary).isComplete())
            m_common.invalid = InvalidBytes::Apart;
        parts.common = std::move(m_common);
        return std::make_unique<UnigramTokenizer>(std::move(parts));
    }

    void readFraming()
    {
        readPostProcessor(jsonMember(m_root, "post_processor"), where("post_processor"));
        m_config = readBeside("tokenizer_config.json");
        const json map = readBeside("special_tokens_map.json");
        const json generation = readBeside("generation_config.json");
        const json config = readBeside("config.json");
        // Models that also see pictures keep the language model's part in a section of its own.
        const std::array sources{std::pair(&generation, "generation_config.json"),
                                 std::pair(&config, "config.json"),
                                 std::pair(&jsonMember(config, "text_config"), "config.json")};
        const auto named = [&](const char *textKey, const char *idKey) -> std::optional<TokenId> {
            for (const json *source : {static_cast<const json *>(&m_config), &map})
                if (const auto id =
                        m_common.vocabulary.find(tokenText(jsonMember(*source, textKey))))
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
                for (const TokenId id : tokensIn(jsonMember(*source, key)))
                    m_common.endMarkers.push_back(id);
        applyFramingFlags();
    }

    /// Some tokenizer classes of transformers frame by these flags and not by the post-processor.
    void applyFramingFlags()
    {
        const std::string name = tokenText(jsonMember(m_config, "tokenizer_class"));
        const bool obeys = name.starts_with("Llama") || name.starts_with("CodeLlama") ||
                           name.starts_with("Gemma") || name.starts_with("Cohere");
        if (!obeys)
            return;
        const auto apply = [&](const char *key, const std::optional<TokenId> &id,
                               std::vector<TokenId> &place) {
            const json &flag = jsonMember(m_config, key);
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
        const json &value = jsonMember(file, key);
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
            for (const json &part : jsonMember(rule, "processors"))
                readPostProcessor(part, place + ".processors");
        } else if (type == "TemplateProcessing") {
            readTemplate(rule, place);
        } else if (type == "RobertaProcessing" || type == "BertProcessing") {
            // [text, id] pairs around the text
            m_common.prefix.push_back(pairId(jsonMember(rule, "cls"), place + ".cls"));
            m_common.suffix.push_back(pairId(jsonMember(rule, "sep"), place + ".sep"));
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
        const std::size_t id = jsonId(value, place);
        if (id >= m_common.vocabulary.size())
            throwBadInput(place + ": the id " + std::to_string(id) +
                          " is outside the vocabulary of " +
                          std::to_string(m_common.vocabulary.size()) + " tokens");
        return static_cast<TokenId>(id);
    }

    void readTemplate(const json &rule, const std::string &place)
    {
        const json &parts = jsonMember(rule, "single");
        if (!parts.is_array())
            throwBadInput(place + ": 'single' is no list");
        bool behindText = false;
        for (const json &part : parts) {
            if (!jsonMember(part, "Sequence").is_null()) {
                behindText = true;
                continue;
            }
            const std::string name = jsonString(jsonMember(part, "SpecialToken"), "id", place);
            const json &ids =
                jsonMember(jsonMember(jsonMember(rule, "special_tokens"), name.c_str()), "ids");
            if (!ids.is_array())
                throwBadInput(place + ": no ids for the special token " + fireside::quoted(name));
            for (const json &id : ids)
                (behindText ? m_common.suffix : m_common.prefix).push_back(knownId(id, place));
        }
    }

    const fs::path &m_path;
    const json &m_root;
    LongLists &m_lists;
    json m_config;
    TokenizerCommon m_common;
    std::string m_continuing, m_ending; // what marks characters within and at the end of words
    bool m_bytesOut = false;            // the model works on bytes
};

/// The tokenizer of a file whose long lists look as usual; nullptr where they do not, or where
/// something is wrong.
std::unique_ptr<Tokenizer> readWithLists(const fs::path &path)
{
    const MappedFile file(path);
    const std::string_view text(reinterpret_cast<const char *>(file.bytes().data()),
                                file.bytes().size());
    std::string rest;
    auto lists = text.size() <= kMaxFileBytes ? takeLongLists(text, rest) : std::nullopt;
    if (!lists)
        return nullptr;
    try {
        return readUnchanged(file, [&] {
            const json root = parseJsonText(rest, path);
            auto tokenizer = JsonTokenizerReader(path, root, *lists).read();
            if (lists->merges.valid())
                lists->merges.get(); // a model without merges does not care what they are
            return tokenizer;
        });
    } catch (const Error &) {
        return nullptr;
    }
}

} // namespace

std::unique_ptr<Tokenizer> makeTokenizerFromJson(const fs::path &path)
{
    if (auto tokenizer = readWithLists(path))
        return tokenizer;
    // Whatever is wrong is said by reading all of it as JSON.
    const json root = readJsonFile(path, kMaxFileBytes);
    LongLists none;
    return JsonTokenizerReader(path, root, none).read();
}

} // namespace fireside
