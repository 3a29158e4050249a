#include "shaders/ops/rows/advance.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

void advance(Recorder &r, const Tensor *logits, const Tensor &ids)
{
    const std::int64_t rows = r.rows(), k = ids.cols;
    expectIds("advance", "ids", rows, k, ids);
    if (logits != nullptr) {
        expectShape("advance", "logits", rows, k, *logits);
        if (logits->dtype != DType::F32)
            throw Error(ErrorKind::Internal, "advance: logits that are not F32");
    }
    constexpr auto most = [](std::size_t count) { return static_cast<std::int64_t>(count); };
    static_assert(kMaxAheadRows <= kMaxAdvancedRows &&
                  kMaxAheadRows + 2 * kMaxAheadCandidates <= kResultWords);
    if (k < 1 || k > kMaxAheadK || rows > most(kMaxAheadRows) ||
        rows * k > most(kMaxAheadCandidates) || (k > 1 && logits == nullptr))
        throw Error(ErrorKind::Internal, "advance: " + std::to_string(rows) + " rows with " +
                                             std::to_string(k) + " candidates" +
                                             (logits == nullptr ? " without logits" : ""));
    for (const BatchItem &item : r.items())
        if (item.rows != 1)
            throw Error(ErrorKind::Internal,
                        "advance: an item of " + std::to_string(item.rows) + " rows");
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
    const Groups groups{rows};
    const Work work{0, static_cast<double>(rows * k) * 8};
    if (logits != nullptr)
        r.dispatch("advance", constants, push, groups, {accessOf(*logits), accessOf(ids)}, {},
                   work);
    else
        r.dispatch("advance", constants, push, groups, {accessOf(ids)}, {}, work);
}

} // namespace fireside::vulkan
