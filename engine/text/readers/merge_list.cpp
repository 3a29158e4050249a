#include "engine/text/readers/merge_list.h"

#include <algorithm>
#include <array>
#include <future>
#include <string>
#include <thread>

namespace fireside {
namespace {

constexpr const char *kNoPair = "is no pair of tokens";
constexpr const char *kUnknownToken = "names a token that is not in the vocabulary";

/// A part of a list of merges, in batches: what memory is slow to give is asked for early.
class MergeReader
{
public:
    /// pairs: as many as the list has merges.
    MergeReader(const MergeList &list, const Vocabulary &tokens, std::span<MergePair> pairs)
        : m_list(list)
        , m_tokens(tokens)
        , m_pairs(pairs)
    {}

    /// Merges from `begin` up to `end`, or up to the first that is wrong.
    void read(std::size_t begin, std::size_t end)
    {
        while (begin < end && !wrong) {
            const std::size_t count = std::min(kBatch, end - begin);
            readBatch(begin, count);
            begin += count;
        }
    }

    struct Wrong
    {
        std::size_t index;
        const char *reason;
    };
    std::optional<Wrong> wrong;

private:
    static constexpr std::size_t kBatch = 64;

    void readBatch(std::size_t begin, std::size_t count)
    {
        m_joined.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const auto merge = m_list.at(begin + i);
            if (!merge) {
                wrong = {begin + i, kNoPair};
                count = i;
                break;
            }
            m_texts[2 * i] = merge->left;
            m_texts[2 * i + 1] = merge->right;
            m_results[i] = expected(*merge);
            if (m_results[i] >= 0)
                m_last = m_results[i];
            else
                m_joined.append(merge->left).append(merge->joinedRight);
            m_ends[i] = m_joined.size();
        }
        findJoined(count);
        m_tokens.findAll(std::span(m_texts).first(2 * count), std::span(m_ids).first(2 * count));
        for (std::size_t i = 0; i < count; ++i) {
            const TokenId left = m_ids[2 * i], right = m_ids[2 * i + 1], result = m_results[i];
            if (left < 0 || right < 0 || result < 0) {
                wrong = {begin + i, kUnknownToken};
                return;
            }
            // A merge must not build a control token out of ordinary text.
            if (m_tokens.isReachable(result))
                m_pairs[begin + i] = {left, right, {static_cast<std::uint32_t>(begin + i), result}};
        }
    }

    /// Files list merges in the order of what they make: mostly this is the last one's token or the
    /// one behind it.
    TokenId expected(const MergeTexts &merge) const
    {
        for (const TokenId id : {m_last, m_last + 1}) {
            if (!m_tokens.contains(id))
                continue;
            const std::string_view text = m_tokens.text(id);
            if (text.size() == merge.left.size() + merge.joinedRight.size() &&
                text.starts_with(merge.left) && text.ends_with(merge.joinedRight))
                return id;
        }
        return -1;
    }

    /// Looks up the results that were not expected.
    void findJoined(std::size_t count)
    {
        std::size_t begin = 0, open = 0;
        std::array<std::string_view, kBatch> texts;
        for (std::size_t i = 0; i < count; begin = m_ends[i++])
            if (m_results[i] < 0)
                texts[open++] = std::string_view(m_joined).substr(begin, m_ends[i] - begin);
        if (open == 0)
            return;
        std::array<TokenId, kBatch> ids;
        m_tokens.findAll(std::span(texts).first(open), std::span(ids).first(open));
        const TokenId *next = ids.data();
        for (std::size_t i = 0; i < count; ++i)
            if (m_results[i] < 0)
                m_results[i] = *next++;
        m_last = m_results[count - 1];
    }

    const MergeList &m_list;
    const Vocabulary &m_tokens;
    std::span<MergePair> m_pairs;
    TokenId m_last = -1;                              // what the last merge made
    std::array<std::string_view, 2 * kBatch> m_texts; // left and right of each
    std::array<TokenId, 2 * kBatch> m_ids;
    std::array<TokenId, kBatch> m_results;  // -1: to be looked up
    std::string m_joined;                   // the texts of these, one behind the other …
    std::array<std::size_t, kBatch> m_ends; // … up to and with each merge
};

} // namespace

MergeTable readMergeList(const MergeList &list, const Vocabulary &tokens)
{
    constexpr std::size_t kLeastPart = 1 << 15, kMostParts = 4;
    if (list.size > MergeTable::kMaxMerges)
        list.fail(MergeTable::kMaxMerges, "is one too many");
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t parts =
        std::clamp<std::size_t>(list.size / kLeastPart, 1, std::min(threads, kMostParts));
    std::vector<MergePair> pairs(list.size);
    std::vector<MergeReader> readers(parts, MergeReader(list, tokens, pairs));
    std::vector<std::future<void>> running;
    for (std::size_t part = 1; part < parts; ++part) // here where there can be no other thread
        running.push_back(std::async(std::launch::async | std::launch::deferred, [&, part] {
            readers[part].read(list.size * part / parts, list.size * (part + 1) / parts);
        }));
    readers[0].read(0, list.size / parts);
    for (std::future<void> &part : running)
        part.get();
    for (const MergeReader &reader : readers)
        if (reader.wrong)
            list.fail(reader.wrong->index, reader.wrong->reason);
    return MergeTable(std::move(pairs));
}

} // namespace fireside
