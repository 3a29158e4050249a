// x in registers as integer rows (common/integer_row.h), products by the integer dot product of four
// bytes. The sums are exact, so what is lost is x's rounding alone.
#extension GL_EXT_integer_dot_product : require

int xLow[8], xHigh[8]; // 32 elements, four to a word, unit by unit
float xScale[kUnits];
float xTotal[kUnits * kParts]; // sums, where the weights have offsets or zeros

/// Fetches this thread's elements of a row of x; zeros beyond its end. The squares are added to those
/// of column c the first time.
void loadX(uint column, uint c, bool firstTime)
{
    const uint there = kExperts != kNoExperts ? column : min(column, push.count - 1);
    const uvec2 row = addUnits256(push.x, there * (integerRowBytes(push.cols) / 256));
    [[unroll]] for (uint i = 0; i < kUnits; ++i) {
        const uint sixteenth = places[i] * (kUnit / 16);
        [[unroll]] for (uint k = 0; k < kUnit / 16; ++k) {
            const uvec4 low = Uints4(row).v[sixteenth + k];
            const uvec4 high = Uints4(row).v[push.cols / 16 + sixteenth + k];
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                xLow[i * kQuadsPerUnit + 4 * k + j] = int(low[j]);
                xHigh[i * kQuadsPerUnit + 4 * k + j] = int(high[j]);
            }
        }
        vec4 block = Floats4(row).v[push.cols / 8 + sixteenth / 2];
        if (kSumming)
            block *= share;
        // Scale and sums of nothing are zero, whatever the numbers are.
        xScale[i] = inside[i] ? block.x : 0;
        if (kParts == 2) {
            xTotal[i * kParts] = inside[i] ? block.y : 0;
            xTotal[i * kParts + kParts - 1] = inside[i] ? block.z : 0;
        } else {
            const float total = kUnit == 32           ? block.y + block.z
                                : (sixteenth & 1) == 0 ? block.y
                                                       : block.z;
            xTotal[i * kParts] = inside[i] ? total : 0;
        }
        if (kNorm && firstTime && inside[i] && (kUnit == 32 || (sixteenth & 1) == 0))
            squares[c] += block.w;
    }
}

/// Adds the product of one unit of a slot's row with x to the sum of column c.
void multiplyUnit(uint slot, uint i, uint c)
{
    const Packed p = packed[slot * kUnits + i];
    [[unroll]] for (uint part = 0; part < kParts; ++part) {
        int low = 0, high = 0;
        [[unroll]] for (uint q = 0; q < kQuadsPerPart; ++q) {
            const uint quad = part * kQuadsPerPart + q;
            const int w = integerQuad(p, quad);
            low += dotPacked4x8EXT(w, xLow[i * kQuadsPerUnit + quad]);
            high += dotPacked4x8EXT(w, xHigh[i * kQuadsPerUnit + quad]);
        }
        // |high| ≤ 32 · 128 · 128: times 256 it fits.
        float raw = float(256 * high + low) * xScale[i];
        if (kIntegerZero != 0)
            raw = fma(xTotal[i * kParts + part], -kIntegerZero, raw);
        const vec2 scale = scaleOf(p, part);
        const uint at = slot * kColumns + c;
        sums[at] = fma(raw, scale.x, sums[at]);
        if (kOffset)
            sums[at] = fma(xTotal[i * kParts + part], scale.y, sums[at]);
    }
}
