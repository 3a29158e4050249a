#include "engine/text/tokenizer_json.h"

#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/text/bpe_tokenizer.h"
#include "engine/text/spm_tokenizer.h"
#include "engine/text/tokenizer_json_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

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
            throwUnsupported(m_path.string() + ": the tokenizer model type '" + type +
                             "' is not supported");
        for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (!jsonStringOr(model, key, "", where("model")).empty())
                throwUnsupported(where("model") + ": '" + key + "' is not supported");

        Normalizer normalizer;
        PreTokenizer preTokenizer;
        readNormalizer(section(m_root, "normalizer"), where("normalizer"), normalizer);
        const auto rules = readPreTokenizer(section(m_root, "pre_tokenizer"),
                                            where("pre_tokenizer"), preTokenizer);
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
                BpeTokenizer::Parts{std::move(m_common), std::move(merges), std::move(normalizer),
                                    std::move(preTokenizer), wholeWords});
        SpmTokenizer::Parts parts;
        parts.common = std::move(m_common);
        parts.merges = std::move(merges);
        parts.normalizer = std::move(normalizer);
        parts.preTokenizer = std::move(preTokenizer);
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

    std::size_t checkedId(const json &value, const std::string &place) const
    {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= Vocabulary::kMaxTokens)
            throwBadInput(place + " has a bad id: " + value.dump().substr(0, 40));
        return value.get<std::size_t>();
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
        for (const auto &[text, value] : vocab.items()) {
            Entry &entry = entryAt(checkedId(value, where("model.vocab: '" + text + "'")));
            if (entry.taken)
                throwBadInput(where("model.vocab") + ": '" + entry.text + "' and '" + text +
                              "' have the same id");
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
            throwBadInput(where("model.unk_token") + ": '" + unknown +
                          "' is not in the vocabulary");
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
            const std::size_t id = checkedId(section(item, "id"), place);
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
                throwBadInput(place + ": '" + token.text + "' has the id of '" + entry.text + "'");
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
                throwBadInput(
                    where("model.merges[" + std::to_string(i) + "]") + " (" +
                    list[i].dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80) +
                    ") " + reason);
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
        const auto named = [&](const char *textKey, const char *idKey) -> std::optional<TokenId> {
            for (const json *source : {static_cast<const json *>(&m_config), &map})
                if (const auto id = m_common.vocabulary.find(tokenText(section(*source, textKey))))
                    return id;
            for (const json *source : {&generation, &config})
                for (const TokenId id : idsIn(section(*source, idKey)))
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
        for (const json *source : {&generation, &config})
            for (const TokenId id : idsIn(section(*source, "eos_token_id")))
                m_common.endMarkers.push_back(id);
        for (const char *key : {"eot_token", "eom_token"})
            if (const auto id = m_common.vocabulary.find(tokenText(section(m_config, key))))
                m_common.endMarkers.push_back(*id);
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

    std::vector<TokenId> idsIn(const json &value) const
    {
        std::vector<TokenId> ids;
        const auto take = [&](const json &one) {
            if (one.is_number_unsigned() && one.get<std::uint64_t>() < m_common.vocabulary.size())
                ids.push_back(one.get<TokenId>());
        };
        if (value.is_array())
            for (const json &one : value)
                take(one);
        else
            take(value);
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
            throwUnsupported(place + ": the post-processor type '" + type + "' is not supported");
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
                throwBadInput(place + ": no ids for the special token '" + name + "'");
            for (const json &id : ids)
                (behindText ? m_common.suffix : m_common.prefix).push_back(knownId(id, place));
        }
    }

    fs::path m_path;
    json m_root, m_config;
    std::vector<Entry> m_entries;
    std::vector<AddedToken> m_added;
    TokenizerCommon m_common;
};

} // namespace

std::unique_ptr<Tokenizer> makeTokenizerFromJson(const fs::path &path)
{
    return JsonTokenizerReader(path).read();
}

} // namespace fireside
