// What attention_row.comp and attention_row_matrix.comp share: constants, push block, logits, results.
#include "shaders/common/cache.glsl"
#include "shaders/common/q8_activations.glsl"
#include "shaders/common/last_workgroup.glsl"
#include "shaders/common/ordered_rows.glsl"
#include "shaders/common/pass_tables.glsl"
#include "shaders/common/rows.glsl"
#include "shaders/ops/attention/attention_row.h"

KERNEL(ATTENTION_ROW_CONSTANTS, AttentionRowPush)
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer RowHeads
{
    AttentionRowHeads v[];
};
#define SLOPES RowHeads(push.heads).v[0].slopes
#define SINKS RowHeads(push.heads).v[0].sinks
#include "shaders/common/attention_logits.glsl"

// Partial results are written and read by different workgroups of a dispatch.
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer PartialFours
{
    vec4 v[];
};
const uint kFours = kValueDim / 4, kHeadFours = kHeadDim / 4;

/// A logit in units of log2, given the product of key and scaled query.
float logit(uint head, float score, uint past, uint key)
{
    if (kPlain)
        return score; // the scale has the factor
    return kLog2E * logitOf(score, slopeOf(head), past, key);
}

/// Channels 4 · four … of the result, of weighted sums of values; `largest` in units of log2. Four
/// neighbouring threads have a block of q8 activations.
void storeResult(uint row, uint head, uint four, vec4 sums, float largest, float weights)
{
    const vec4 value = sums * finalScale(head, largest / kLog2E, weights);
    const uint bytes = has(kOutHalf) ? 2 : 4;
    storeUnit(addBytes(rowAddress(push.out_, row, push.outStride * bytes),
                       head * kValueDim * bytes),
              has(kOutHalf), true, four, value);
    if (has(kQ8Out)) {
        const uint cols = kHeads * kValueDim;
        storeQ8(addUnits256(push.q8Out, row * (q8RowBytes(cols) / 256)), cols,
                      head * kFours + four, value, value);
    }
    if (kNextUnit > 0) {
        const uint place = orderedPlace(head * kValueDim + 4 * four, row, max(kNextUnit, 8), kNextTogether,
                                        kNextAcross);
        const vec4 halves = limited(value);
        Uints2(push.q8Out).v[place / 4] = uvec2(packHalf2x16(halves.xz), packHalf2x16(halves.yw));
    }
}
