#pragma once
#include "engine/backend/ops/transform_heads.h"
#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fireside::vulkan {

/// How a kernel of one row is cut, and over how many groups the keys of a head are spread.
struct RowForm
{
    const char *shader;
    std::int64_t threads;
    std::int64_t groups; // of an item, for each split
    std::int64_t splits;
    std::vector<std::uint32_t> constants; // its own
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

/// For the pass's first `count` items. None where another kernel is better or none of these can do
/// it; `source` as cacheSource() gives it, of a cache in F32 or F16.
std::optional<RowForm> rowForm(const Recorder &r, const RowHeads &heads,
                               const AttentionSource &source, const AttentionShape &shape,
                               const Tensor &out, std::int64_t count);
/// `out` [T, heads · values]; with `ordered` also there.
void dispatchAttentionRow(Recorder &r, const RowForm &form, const RowHeads &heads,
                          const AttentionSource &source, const AttentionShape &shape,
                          const Tensor &out, std::int64_t count,
                          const std::optional<OrderedRows> &ordered = {});

} // namespace fireside::vulkan
