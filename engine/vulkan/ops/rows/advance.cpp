#include "shaders/ops/rows/advance.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

void run(Recorder &r, const op::Advance &op)
{
    static_assert(kMaxAheadRows <= kMaxAdvancedRows &&
                  kMaxAheadRows + 2 * kMaxAheadCandidates <= kResultWords);
    const Tensor *const logits = op.logits ? &*op.logits : nullptr;
    const Tensor &ids = op.ids;
    const std::int64_t rows = r.rows(), k = ids.cols;
    const AdvancePush push{.logits = logits != nullptr ? r.address(*logits) : 0,
                           .candidates = r.address(ids),
                           .state = r.advanceState(),
                           .results = r.advanceResults(),
                           .ids = r.idTable(),
                           .positions = r.positions(),
                           .items = r.itemTable(),
                           .logitsStride = count32(logits != nullptr ? logits->stride : 0),
                           .candidatesStride = count32(ids.stride),
                           .rows = count32(rows)};
    const AdvanceConstants constants{.kThreads = threadsFor(r, k), .kCount = count32(k)};
    const Workgroups groups{rows};
    const Work work{0, static_cast<double>(rows * k) * 8};
    if (logits != nullptr)
        r.dispatch("advance", constants, push, groups, {accessOf(*logits), accessOf(ids)}, {},
                   work);
    else
        r.dispatch("advance", constants, push, groups, {accessOf(ids)}, {}, work);
}

} // namespace fireside::vulkan
