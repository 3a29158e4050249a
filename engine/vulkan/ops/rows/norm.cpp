#include "shaders/ops/rows/norm.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

namespace fireside::vulkan {

namespace {

struct Norm
{
    std::uint32_t kind = kNormRms;
    const Weight *weight = nullptr, *bias = nullptr;
    float eps = 0;
};

// Units of a row that a thread keeps in registers, at most: four are sixteen values.
constexpr std::int64_t kMaxKeptUnits = 4;

void norm(Recorder &r, const Norm &norm, const Tensor *residual, const Tensor &x, const Tensor &out)
{
    if (x.rows == 0 || x.cols == 0)
        return;

    const VkDeviceAddress weight = vectorAddress(norm.weight), bias = vectorAddress(norm.bias);
    const bool fours = rowsFitFours(r, {&x, &out, residual}) && weight % 16 == 0 && bias % 16 == 0;
    const std::int64_t units = fours ? x.cols / 4 : x.cols;
    const std::uint32_t threads = threadsFor(r, ceilDiv(units, 2));
    const std::int64_t kept = std::min(ceilDiv(units, threads), kMaxKeptUnits);
    const NormConstants constants{.kThreads = threads,
                                  .kNorm = norm.kind,
                                  .kAdd = residual != nullptr,
                                  .kHasBias = norm.bias != nullptr,
                                  .kFours = fours,
                                  .kKept = count32(kept),
                                  .kXHalf = isHalf(x),
                                  .kResidualHalf = residual != nullptr ? isHalf(*residual) : 0,
                                  .kOutHalf = isHalf(out)};
    const NormPush push{.x = r.address(x),
                        .residual = residual != nullptr ? r.address(*residual) : 0,
                        .weight = weight,
                        .bias = bias,
                        .result = r.address(out),
                        .xStride = strideBytes(x),
                        .residualStride = residual != nullptr ? strideBytes(*residual) : 0,
                        .outStride = strideBytes(out),
                        .rows = count32(x.rows),
                        .cols = count32(x.cols),
                        .eps = norm.eps};
    const Workgroups groups{std::min<std::int64_t>(x.rows, r.capabilities().maxWorkgroups[0]), 1,
                            1};
    const Work work{0, bytesOf(x) + bytesOf(out) +
                           (residual != nullptr ? 2 * bytesOf(*residual) : 0.0)};
    if (residual != nullptr)
        r.dispatch("norm", constants, push, groups, {accessOf(x), accessOf(*residual)},
                   {accessOf(*residual), accessOf(out)}, work);
    else
        r.dispatch("norm", constants, push, groups, {accessOf(x)}, {accessOf(out)}, work);
}

} // namespace

void run(Recorder &r, const op::RmsNorm &op)
{
    norm(r, {kNormRms, &op.weight, nullptr, op.eps}, op.residual ? &*op.residual : nullptr, op.x,
         op.out);
}

void run(Recorder &r, const op::LayerNorm &op)
{
    norm(r, {kNormLayer, &op.weight, op.bias, op.eps}, op.residual ? &*op.residual : nullptr, op.x,
         op.out);
}

void run(Recorder &r, const op::L2Normalize &op)
{
    norm(r, {kNormL2, nullptr, nullptr, 0}, nullptr, op.x, op.out);
}

} // namespace fireside::vulkan
