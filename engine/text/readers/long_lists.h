#pragma once
#include <cstdint>
#include <deque>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireside {

/// Views of a file's text, or of `unescaped` where the file writes them with escapes.
template <typename Entry>
struct LongList
{
    std::vector<Entry> entries;
    std::deque<std::string> unescaped;
};

/// The lists of a tokenizer.json that may have half a million entries, read without a JSON value
/// for each. What is not here stands in the JSON.
struct LongLists
{
    using Id = std::pair<std::string_view, std::uint64_t>;      // text, id
    using Score = std::pair<std::string_view, double>;          // text, score
    using Pair = std::pair<std::string_view, std::string_view>; // left, right
    std::optional<LongList<Id>> ids;                            // model.vocab
    std::optional<LongList<Score>> scores;                      // model.vocab of Unigram
    std::future<LongList<Pair>> merges;                         // model.merges
};

/// Takes the lists out of the text of a tokenizer.json and appends what is left, with empty lists
/// in their place, to `rest`. nullopt where there are none, or anything about them is unusual. If
/// `rest` is JSON and `merges` gives a list, the text is what both say; else it may still be right.
/// `text` must stay until `merges` is done, which another thread may be reading.
std::optional<LongLists> takeLongLists(std::string_view text, std::string &rest);

} // namespace fireside
