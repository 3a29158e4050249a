#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/ops/attention/attention.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// What the address of every head of every row is a multiple of.
std::uint32_t rowStep(const Recorder &r, const Tensor &x, std::int64_t channels)
{
    const std::uint64_t element = isHalf(x) != 0 ? 2 : 4;
    const std::uint64_t all = r.address(x) | static_cast<std::uint64_t>(x.stride) * element |
                              static_cast<std::uint64_t>(channels) * element;
    const auto divisor = static_cast<std::uint32_t>(std::min<std::uint64_t>(all & (~all + 1), 16));
    return divisor == 16 && channels % 8 == 0 ? 16 : std::min(divisor, 4u);
}

} // namespace

void run(Recorder &r, const op::SequenceAttention &op)
{
    const Tensor &k = op.k, &v = op.v;
    AttentionSource source;
    if (r.rows() > 0) {
        source.k = r.address(k);
        source.v = r.address(v);
        source.keyStep = rowStep(r, k, op.shape.headDim);
        source.valueStep = rowStep(r, v, op.shape.values());
    }
    source.kStride = checked32(k.stride);
    source.vStride = checked32(v.stride);
    source.keyType = isHalf(k);
    source.valueType = isHalf(v);
    source.flags = kSequence;
    if (op.distances != nullptr) {
        source.distances = vectorAddress(op.distances);
        source.flags |= kDistances | checked32(op.reach()) << kReachShift;
    }
    source.reads = {accessOf(k), accessOf(v)};
    dispatchAttention(r, op.q, source, op.shape, op.out);
}

} // namespace fireside::vulkan
