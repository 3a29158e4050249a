#include "engine/text/readers/json_vocabulary.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/readers/json_fields.h"
#include "engine/text/readers/merge_list.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

namespace fireside {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFreeIds = 1 << 16; // between and behind those of a vocabulary

class JsonVocabularyReader
{
public:
    JsonVocabularyReader(const json &root, const LongLists &lists, const std::string &where)
        : m_root(root)
        , m_lists(lists)
        , m_model(jsonMember(root, "model"))
        , m_where(where)
        , m_byteFallback(jsonBoolOr(m_model, "byte_fallback", false, where + "model"))
    {}

    JsonVocabulary read()
    {
        const json &vocab = jsonMember(m_model, "vocab");
        const json &added = jsonMember(m_root, "added_tokens");
        const std::size_t entries = m_lists.ids      ? m_lists.ids->entries.size()
                                    : m_lists.scores ? m_lists.scores->entries.size()
                                                     : vocab.size();
        m_named = entries + added.size();
        m_entries.reserve(m_named);
        if (vocab.is_object())
            m_lists.ids ? takeIds(m_lists.ids->entries) : readObject(vocab);
        else if (vocab.is_array() && jsonMember(m_model, "type") == "Unigram")
            m_lists.scores ? takeScores(m_lists.scores->entries) : readScores(vocab);
        else
            throwBadInput(m_where + "model.vocab is no object");
        if (entries == 0)
            throwBadInput(m_where + "model.vocab is empty");
        readAdded(added);
        Vocabulary &tokens = m_out.tokens;
        tokens.reserve(m_entries.size(), 8 * m_entries.size());
        for (const Entry &entry : m_entries)
            tokens.add(entry.text, entry.kind);
        if (const auto twice = tokens.finish())
            throwBadInput(m_where + "model.vocab and added_tokens: the ids " +
                          std::to_string(twice->first) + " and " + std::to_string(twice->second) +
                          " have the same text");
        for (const AddedToken &token : m_out.added)
            if (token.trustedOnly)
                tokens.setTrustedOnly(token.id);
        if (!m_out.scores.empty())
            m_out.scores.resize(tokens.size());
        return std::move(m_out);
    }

private:
    struct Entry
    {
        std::string_view text; // of the file
        TokenKind kind = TokenKind::Unused;
        bool taken = false;
    };

    /// A file that names few tokens must not ask for memory for millions.
    bool isFar(std::uint64_t id) const { return id >= m_named + kMaxFreeIds; }

    std::size_t tableId(const json &value, const std::string &place) const
    {
        const std::size_t id = jsonId(value, place);
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

    void put(std::size_t id, std::string_view text)
    {
        Entry &entry = entryAt(id);
        if (entry.taken)
            throwBadInput(m_where + "model.vocab: " + fireside::quoted(entry.text) + " and " +
                          fireside::quoted(text) + " have the same id");
        const bool isByte = m_byteFallback && parseByteToken(text);
        entry = {text, isByte ? TokenKind::Byte : TokenKind::Normal, true};
    }

    void takeIds(const std::vector<LongLists::Id> &ids)
    {
        for (const auto &[text, id] : ids) {
            if (isFar(id))
                tableId(json(id), m_where + "model.vocab: " + fireside::quoted(text));
            put(static_cast<std::size_t>(id), text);
        }
    }

    void takeScores(const std::vector<LongLists::Score> &scores)
    {
        m_out.scores.reserve(scores.size());
        for (const auto &[text, score] : scores) {
            put(m_out.scores.size(), text);
            m_out.scores.push_back(score);
        }
        m_out.lowestScore = *std::min_element(m_out.scores.begin(), m_out.scores.end());
    }

    void readObject(const json &vocab)
    {
        for (auto it = vocab.begin(); it != vocab.end(); ++it) {
            const std::string &text = it.key();
            const json &value = it.value();
            if (!value.is_number_unsigned() || isFar(value.get<std::uint64_t>()))
                tableId(value, m_where + "model.vocab: " + fireside::quoted(text));
            put(value.get<std::size_t>(), text);
        }
    }

    /// [text, score] pairs; an id is a place in the list.
    void readScores(const json &vocab)
    {
        m_out.scores.reserve(vocab.size());
        for (std::size_t id = 0; id < vocab.size(); ++id) {
            const json &pair = vocab[id];
            const bool isPair =
                pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_number();
            if (!isPair || !std::isfinite(pair[1].get<double>()))
                throwBadInput(m_where + "model.vocab[" + std::to_string(id) + "] (" +
                              quotedJson(pair) + ") is no pair of a text and a score");
            put(id, pair[0].get_ref<const std::string &>());
            m_out.scores.push_back(pair[1].get<double>());
        }
        if (!m_out.scores.empty())
            m_out.lowestScore = *std::min_element(m_out.scores.begin(), m_out.scores.end());
    }

    void readAdded(const json &list)
    {
        if (!list.is_null() && !list.is_array())
            throwBadInput(m_where + "added_tokens is no list");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string place = m_where + "added_tokens[" + std::to_string(i) + "]";
            const json &item = list[i];
            AddedToken token;
            token.text = jsonString(item, "content", place);
            const std::string_view text = item["content"].get_ref<const std::string &>();
            const std::size_t id = tableId(jsonMember(item, "id"), place);
            token.id = static_cast<TokenId>(id);
            token.leftStrip = jsonBoolOr(item, "lstrip", false, place);
            token.rightStrip = jsonBoolOr(item, "rstrip", false, place);
            token.singleWord = jsonBoolOr(item, "single_word", false, place);
            token.normalized = jsonBoolOr(item, "normalized", false, place);
            const bool special =
                jsonBoolOr(item, "special", false, place) || isEndMarkerText(token.text);
            token.trustedOnly = special || looksLikeMarker(token.text);
            Entry &entry = entryAt(id);
            if (entry.taken && entry.text != text)
                throwBadInput(place + ": " + fireside::quoted(token.text) + " has the id of " +
                              fireside::quoted(entry.text));
            // Byte tokens stay bytes: they are text, even where the file calls them special.
            if (!entry.taken || entry.kind != TokenKind::Byte)
                entry = {text, special ? TokenKind::Control : TokenKind::UserDefined, true};
            if (!token.text.empty())
                m_out.added.push_back(std::move(token));
        }
    }

    const json &m_root;
    const LongLists &m_lists;
    const json &m_model;
    const std::string &m_where;
    bool m_byteFallback;
    std::vector<Entry> m_entries;
    std::size_t m_named = 0; // tokens the file names
    JsonVocabulary m_out;
};

/// "a b" or ["a", "b"]
bool splitMerge(const json &merge, std::string_view &left, std::string_view &right)
{
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get_ref<const std::string &>();
        right = merge[1].get_ref<const std::string &>();
        return true;
    }
    if (!merge.is_string())
        return false;
    const std::string_view text = merge.get_ref<const std::string &>();
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
        return false;
    left = text.substr(0, space);
    right = text.substr(space + 1);
    return true;
}

} // namespace

JsonVocabulary readJsonVocabulary(const json &root, const LongLists &lists,
                                  const std::string &where)
{
    return JsonVocabularyReader(root, lists, where).read();
}

MergeTable readJsonMerges(const json &model, LongLists &lists, const Vocabulary &tokens,
                          const std::string &continuing, const std::string &where)
{
    const json &list = jsonMember(model, "merges");
    if (!list.is_array())
        throwBadInput(where + "model.merges is no list");
    const bool taken = lists.merges.valid();
    const auto pairs = taken ? lists.merges.get() : LongList<LongLists::Pair>();
    MergeList merges;
    merges.size = taken ? pairs.entries.size() : list.size();
    merges.at = [&](std::size_t i) -> std::optional<MergeTexts> {
        MergeTexts merge;
        if (taken)
            std::tie(merge.left, merge.right) = pairs.entries[i];
        else if (!splitMerge(list[i], merge.left, merge.right))
            return std::nullopt;
        merge.joinedRight = merge.right.substr(std::min(continuing.size(), merge.right.size()));
        return merge;
    };
    merges.fail = [&](std::size_t i, const char *reason) {
        throwBadInput(where + "model.merges[" + std::to_string(i) + "] " +
                      (taken ? std::string() : "(" + quotedJson(list[i]) + ") ") + reason);
    };
    return readMergeList(merges, tokens);
}

} // namespace fireside
