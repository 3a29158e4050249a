#pragma once
#include "engine/backend/ops/append_kv.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>
#include <array>
#include <string>

// What the ops on heads and caches have in common.
namespace fireside::vulkan {

[[noreturn]] void throwHeads(const char *op, const std::string &why);

/// Part of a full turn per position, 0.64 fixed point, of every pair: see shaders/common/rope.glsl.
/// 0 when there are none.
VkDeviceAddress turnTable(Recorder &r, const std::optional<Rope> &rope);
std::int64_t pairsOf(const std::optional<Rope> &rope);
std::uint32_t firstTurning(const std::optional<Rope> &rope);
float turnFactor(const std::optional<Rope> &rope);

std::uint32_t checked32(std::int64_t n);

/// 0 F32, 1 F16, 2 Q8_0, as in shaders/common/cache.glsl; Error(Internal) for anything else, and
/// for rows of Q8_0 that are no multiple of 32.
std::uint32_t cacheType(const char *op, DType type, std::int64_t rowChannels);

/// The type of the cache that new rows go to; 0 when there are none. Error(Internal) where they do
/// not fit it.
std::uint32_t appendedType(const Recorder &r, const op::AppendKv &op);
/// The flags of shaders/ops/attention/append_kv.h.
std::uint32_t headFlags(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                        const HeadTransform &kTransform, const Tensor &v);

/// What AppendKvPush, AttentionHeads and AttentionRowHeads have in common.
template <typename Heads>
void fillTransforms(Recorder &r, const HeadTransform &qTransform, const HeadTransform &kTransform,
                    Heads &heads)
{
    heads.qNorm = vectorAddress(qTransform.norm);
    heads.kNorm = vectorAddress(kTransform.norm);
    heads.qTurns = turnTable(r, qTransform.rope);
    heads.kTurns = turnTable(r, kTransform.rope);
    heads.qEps = qTransform.eps;
    heads.kEps = kTransform.eps;
    heads.qFactor = turnFactor(qTransform.rope);
    heads.kFactor = turnFactor(kTransform.rope);
}

/// Of the first two, which also say where the new rows are.
template <typename Heads>
void fillHeads(Recorder &r, const HeadTransform &qTransform, const Tensor &k,
               const HeadTransform &kTransform, const Tensor &v, Heads &heads)
{
    fillTransforms(r, qTransform, kTransform, heads);
    heads.k = r.address(k);
    heads.v = r.address(v);
    heads.positions = r.positions();
    heads.kStride = checked32(k.stride);
    heads.vStride = checked32(v.stride);
}

/// Threads for a head of so many channels: a multiple of 32, no more than the device allows.
std::uint32_t threadsForHead(const Recorder &r, std::int64_t headDim);

/// Calls `dispatch(first, count)` for parts of the rows that are no more than a dispatch may have.
template <typename Dispatch>
void forRows(const Recorder &r, std::uint32_t dimension, std::int64_t rows, const Work &work,
             Dispatch dispatch)
{
    const std::int64_t most = std::min<std::int64_t>(r.rowsPerDispatch(work, rows, 1),
                                                     r.capabilities().maxWorkgroups[dimension]);
    for (std::int64_t first = 0; first < rows; first += most)
        dispatch(first, std::min(most, rows - first));
}

} // namespace fireside::vulkan
