#pragma once
#include "engine/vulkan/attention_launch.h"

#include <cstdint>
#include <optional>

namespace fireside::vulkan {

/// How attention_row.comp is cut, and over how many groups the keys of a head are spread.
struct RowForm
{
    std::int64_t threads, keysEach, lanes, splits;
    bool shared; // scores of a team
    bool once;   // no range has more keys than a block
};

/// The heads of new rows as their products left them, one row for each item.
struct RowHeads
{
    const Tensor &q;
    const HeadTransform &qTransform;
    const Tensor &k;
    const HeadTransform &kTransform;
    const Tensor &v;
};

/// None where another kernel is better or attention_row.comp cannot do it; `source` as
/// cacheSource() gives it, of a cache in F32 or F16.
std::optional<RowForm> rowForm(const Recorder &r, const RowHeads &heads,
                               const AttentionSource &source, const AttentionShape &shape,
                               const Tensor &out);
void launchAttentionRow(Recorder &r, const char *op, const RowForm &form, const RowHeads &heads,
                        const AttentionSource &source, const AttentionShape &shape,
                        const Tensor &out);

} // namespace fireside::vulkan
