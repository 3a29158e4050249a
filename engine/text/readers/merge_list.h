#pragma once
#include "engine/text/tokenizers/bpe_merge.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace fireside {

/// A merge as a file names it. What left and right become is left + joinedRight.
struct MergeTexts
{
    std::string_view left, right, joinedRight;
};

/// The list of merges in a file, in the order of their ranks.
struct MergeList
{
    std::size_t size = 0;
    /// The i-th; nullopt where it is no pair. Called from several threads.
    std::function<std::optional<MergeTexts>(std::size_t i)> at;
    /// Throws what is wrong with the i-th.
    std::function<void(std::size_t i, const char *reason)> fail;
};

/// Looks up the texts, on several threads where there are many: a file may hold half a million.
MergeTable readMergeList(const MergeList &list, const Vocabulary &tokens);

} // namespace fireside
