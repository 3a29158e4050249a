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
    std::int64_t groups = 1;
};

// Units of a row that a thread keeps in registers, at most: four are sixteen values.
constexpr std::int64_t kMaxKeptUnits = 4;

void norm(Recorder &r, const Norm &norm, const Tensor *residual, const Tensor &x, const Tensor &out)
{
    if (x.rows == 0 || x.cols == 0)
        return;

    const VkDeviceAddress weight = vectorAddress(norm.weight), bias = vectorAddress(norm.bias);
    const std::int64_t width = x.cols / norm.groups, rows = x.rows * norm.groups;
    const bool fours = rowsFitFours(r, {&x, &out, residual}) && width % 4 == 0 &&
                       weight % 16 == 0 && bias % 16 == 0;
    const std::int64_t units = fours ? width / 4 : width;
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
                                  .kOutHalf = isHalf(out),
                                  .kHasWeight = norm.weight != nullptr,
                                  .kGrouped = norm.groups > 1};
    const NormPush push{.x = r.address(x),
                        .residual = residual != nullptr ? r.address(*residual) : 0,
                        .weight = weight,
                        .bias = bias,
                        .result = r.address(out),
                        .xStride = strideBytes(x),
                        .residualStride = residual != nullptr ? strideBytes(*residual) : 0,
                        .outStride = strideBytes(out),
                        .rows = count32(rows),
                        .cols = count32(width),
                        .eps = norm.eps,
                        .groups = count32(norm.groups)};
    const Workgroups groups{std::min<std::int64_t>(rows, r.capabilities().maxWorkgroups[0]), 1, 1};
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
    norm(r, {kNormRms, op.weight, nullptr, op.eps, op.groups},
         op.residual ? &*op.residual : nullptr, op.x, op.out);
}

void run(Recorder &r, const op::LayerNorm &op)
{
    norm(r, {kNormLayer, op.weight, op.bias, op.eps, op.groups},
         op.residual ? &*op.residual : nullptr, op.x, op.out);
}

void run(Recorder &r, const op::L2Normalize &op)
{
    norm(r, {kNormL2, nullptr, nullptr, op.eps, op.groups}, nullptr, op.x, op.out);
}

void run(Recorder &r, const op::GaussianSparsify &op)
{
    norm(r, {kNormSparse, nullptr, nullptr, op.k, 1}, nullptr, op.x, op.out);
}

} // namespace fireside::vulkan
