#include "engine/vulkan/ops/matmul/expert_rows.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/ops/matmul/expert_rows.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fireside::vulkan {

void requireMatrices(const char *op, const Weight &weight)
{
    if (weight.rows == 1 && weight.depth > 1 && weight.cols % 32 != 0 &&
        info(weight.dtype).blockElements == 1)
        throwUnsupported(std::string(op) + " on Vulkan with " + weight.name + ", of one row of " +
                         std::to_string(weight.cols) + " columns each");
}

std::int64_t maxSummedExperts()
{
    return kExpertMostUsed;
}

namespace {

std::uint32_t flagsOf(const ExpertRows &p)
{
    std::uint32_t flags = 0;
    const auto set = [&](bool on, std::uint32_t flag) { flags |= on ? flag : 0; };
    set(isHalf(p.x) != 0, kExpertXHalf);
    set(isHalf(p.out) != 0, kExpertOutHalf);
    set(p.add, kExpertAdd);
    set(p.up != nullptr, kExpertGated);
    set(p.bias != nullptr, kExpertBias);
    set(p.upBias != nullptr, kExpertUpBias);
    set(p.norm != nullptr, kExpertNorm);
    set(p.shares != nullptr, kExpertSum);
    set(p.heads > 0, kExpertHeads);
    return flags;
}

/// Adds what the kernel reads, weights aside.
ExpertRowsPush pushOf(Recorder &r, const ExpertRows &p, std::vector<Access> &reads)
{
    const VulkanWeight &weight = asVulkan(*p.weight);
    ExpertRowsPush push{};
    push.x = r.address(p.x);
    push.weight = weight.address;
    push.up = p.up != nullptr ? asVulkan(*p.up).address : 0;
    push.bias = vectorAddress(p.bias);
    push.upBias = vectorAddress(p.upBias);
    push.norm = vectorAddress(p.norm);
    push.result = r.address(p.out);
    push.groups = weight.ref().groups;
    push.cols = count32(weight.cols);
    push.outs = count32(weight.rows);
    push.experts = count32(weight.depth);
    push.used = 1;
    push.xStride = count32(p.x.stride);
    push.outStride = count32(p.out.stride);
    push.eps = p.eps;
    push.xStep = count32(p.xStep);
    push.outStep = count32(p.outStep);

    reads.push_back(accessOf(p.x));
    if (p.add)
        reads.push_back(accessOf(p.out));
    if (p.ids != nullptr) {
        push.ids = r.address(*p.ids);
        push.used = count32(p.ids->cols);
        push.idStride = count32(p.ids->stride);
        reads.push_back(accessOf(*p.ids));
    }
    if (p.shares != nullptr) {
        push.shares = r.address(*p.shares);
        push.shareStride = count32(p.shares->stride);
        reads.push_back(accessOf(*p.shares));
    }
    return push;
}

} // namespace

void dispatchExpertRows(Recorder &r, const ExpertRows &p)
{
    const VulkanWeight &weight = asVulkan(*p.weight);
    const Capabilities &device = r.capabilities();
    const bool gated = p.up != nullptr, sum = p.shares != nullptr;
    const std::int64_t outs = weight.rows, cols = weight.cols;

    std::vector<Access> reads;
    ExpertRowsPush push = pushOf(r, p, reads);
    const std::int64_t rows = p.out.rows * (p.ids != nullptr ? 1 : p.heads);

    // Each thread has the weights of two outs in flight, or of a gate and an up. Workgroups of
    // eight subgroups are enough to hide the reads; a group brings x to shared memory only once, so
    // it goes on to more outs where there are groups to spare.
    const std::uint32_t threads = std::min<std::uint32_t>(256, device.maxWorkgroupSize);
    const std::uint32_t outsPerSubgroup = gated ? 1 : 2;
    const std::int64_t atOnce =
        std::max<std::int64_t>(threads / device.subgroupSize, 1) * outsPerSubgroup;
    constexpr std::int64_t kGroupsPerComputeUnit = 6, kMaxRounds = 4;
    const std::int64_t groupsNeeded = ceilDiv(outs, atOnce);
    const std::int64_t rounds = std::clamp<std::int64_t>(
        groupsNeeded * rows / (kGroupsPerComputeUnit * device.computeUnits), 1, kMaxRounds);
    const ExpertRowsConstants constants{.kThreads = threads,
                                        .kFlags = flagsOf(p),
                                        .kActivation = p.act ? static_cast<std::uint32_t>(*p.act)
                                                             : std::uint32_t{kActivationNone},
                                        .kOuts = outsPerSubgroup,
                                        .kPerRow = weight.groupsPerRow()};
    const std::string shader = weightShader("expert_rows", weight.storage);

    const double perOut = static_cast<double>(rows * cols) * (gated ? 2 : 1) *
                          (sum ? static_cast<double>(push.used) : 1.0);
    const Work whole{perOut * static_cast<double>(outs), perOut * static_cast<double>(outs) * 0.6};
    const std::int64_t perDispatch = r.rowsPerDispatch(whole, outs, atOnce);
    std::vector<Access> writes;
    if (p.heads > 0)
        addHeads(p.out, {p.heads, p.outStep, outs}, writes);
    else
        writes.push_back(accessOf(p.out));
    for (std::int64_t first = 0; first < outs; first += perDispatch) {
        const std::int64_t count = std::min(perDispatch, outs - first);
        const double part = static_cast<double>(count) / static_cast<double>(outs);
        push.firstOut = count32(first);
        push.endOut = count32(first + count);
        r.append(shader, constants, &push, sizeof push,
                 {ceilDiv(ceilDiv(count, atOnce), rounds), rows, 1}, reads, writes,
                 {whole.multiplyAdds * part, whole.bytes * part});
    }
}

} // namespace fireside::vulkan
