#pragma once
#include "engine/backend/ops/op_check.h"
#include "engine/backend/ops/reorder_heads.h"

#include <optional>
#include <vector>

namespace fireside {

enum class RopePairing { HalfSplit, Interleaved }; // (i, i + r/2) or (2i, 2i + 1)
/// Rotary position embedding, arXiv 2104.09864: pairs of channels turn by position · frequency.
/// All scalings (linear, YaRN, Llama 3, LongRoPE, factors of a file) are already in the
/// frequencies. Channels [firstChannel, firstChannel + 2·pairs) of a head turn, the others stay.
struct Rope
{
    RopePairing pairing = RopePairing::HalfSplit;
    std::vector<float> inverseFrequencies; // one per pair; angle = position · f
    float attentionFactor = 1;             // multiplies cos and sin (YaRN)
    std::int64_t firstChannel = 0;
    bool operator==(const Rope &) const = default;
};

/// What happens to each head of a projection before attention; any part may be absent.
struct HeadTransform
{
    std::int64_t headDim = 0;
    const Weight *norm = nullptr; // [1, headDim] RMS norm over the head
    float eps = 0;
    std::optional<Rope> rope{};
};

} // namespace fireside

namespace fireside::op {

/// Norm and rotation of every head at the batch's positions.
struct TransformHeads
{
    static constexpr const char *kName = "transformHeads";
    Tensor x; // [T, heads·D]
    HeadTransform transform;
    HeadOrder to = HeadOrder::TokenMajor;
    Tensor out; // of x's shape (may be x), or head-major [heads·T, D]
};

inline void checkTransform(const OpCheck &check, const HeadTransform &transform,
                           std::int64_t headDim)
{
    check.vector(transform.norm, headDim);
    if (!transform.rope)
        return;
    const Rope &rope = *transform.rope;
    const auto turning = 2 * static_cast<std::int64_t>(rope.inverseFrequencies.size());
    if (rope.firstChannel < 0 || rope.firstChannel > headDim ||
        turning > headDim - rope.firstChannel)
        check.fail(std::to_string(turning) + " rotary channels from " +
                   std::to_string(rope.firstChannel) + " on in heads of " +
                   std::to_string(headDim));
}

inline void check(const TransformHeads &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const std::int64_t D = op.transform.headDim;
    if (D <= 0 || op.x.cols % D != 0)
        check.fail("heads of " + std::to_string(D) + " in " + shapeText(op.x.rows, op.x.cols));
    check.activation("x", pass.rows, op.x.cols, op.x);
    if (op.to == HeadOrder::TokenMajor)
        check.activation("out", pass.rows, op.x.cols, op.out);
    else
        check.activation("out", op.x.cols / D * pass.rows, D, op.out);
    checkTransform(check, op.transform, D);
}

} // namespace fireside::op
