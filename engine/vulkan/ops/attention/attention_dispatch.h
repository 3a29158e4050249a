#pragma once
#include "engine/backend/ops/attention.h"
#include "engine/vulkan/pass/recorder.h"

#include "shaders/ops/attention/attention.h"

#include <optional>
#include <vector>

namespace fireside::vulkan {

/// Where keys and values come from.
struct AttentionSource
{
    VkDeviceAddress k = 0, v = 0; // the layer's caches, or tensors
    std::uint32_t kStride = 0, vStride = 0;
    std::uint32_t keyType = 0, valueType = 0; // as in shaders/common/cache.glsl
    std::uint32_t keyStep = 0, valueStep = 0; // every row begins at a multiple of so many bytes
    VkDeviceAddress distances = 0;            // with kDistances, whose reach is in the flags too
    std::uint32_t flags = 0;  // kSequence, kLatent of shaders/ops/attention/attention.h
    std::int64_t maxKeys = 0; // in any replay
    std::vector<Access> reads, writes;
    std::optional<AttentionHeads> heads; // with kNewHeads
    VkDeviceAddress q8Out = 0;           // with kQ8Out: where they go
    struct Expanded                      // with kExpanded
    {
        VkDeviceAddress caches = 0; // of the layer
        std::int64_t rank = 0;
        std::int64_t itemKeys = 0; // room for each item in k and v
    };
    Expanded expanded{};
};
/// The caches of a layer. Error(Internal) when they do not fit the shape.
AttentionSource cacheSource(const Recorder &r, std::int64_t layer, const AttentionShape &shape);

/// Constants that all kernels have, then those of one.
std::vector<std::uint32_t> inOrder(std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second = {});
/// What follows from the shape and the tensors' types, of shaders/ops/attention/attention.h.
std::uint32_t attentionFlags(const Tensor &q, const AttentionShape &shape, const Tensor &out);
/// Causal queries see at most so many keys; 0: all before them.
inline std::int64_t windowOf(const AttentionShape &shape)
{
    return shape.chunk > 0 ? shape.chunk : shape.window;
}
/// The slopes of ALiBi, [H] F32; 0 for none.
VkDeviceAddress slopeTable(Recorder &r, const AttentionShape &shape);
/// Counters of one dispatch at a time: each reads or writes the memory of the partial results of
/// the one before.
VkDeviceAddress attentionCounters(Recorder &r);

/// Whether attention of so many slots (rows · heads of a group) goes through matrices.
bool multipliesMatrices(const Recorder &r, const AttentionShape &shape, std::uint32_t keyType,
                        std::int64_t slots);

/// op::AppendKv of the rows from `begin` on, which begin an item.
void appendRows(Recorder &r, const op::AppendKv &op, std::int64_t begin);

/// Appends the dispatches for the items from `firstItem` on: those of few rows with their keys
/// spread over groups, the others in tiles. Takes at most kPartialBytes of scratch twice.
inline constexpr std::int64_t kPartialBytes = std::int64_t{16} << 20;
void dispatchAttention(Recorder &r, const Tensor &q, const AttentionSource &source,
                       const AttentionShape &shape, const Tensor &out, std::size_t firstItem = 0);

} // namespace fireside::vulkan
