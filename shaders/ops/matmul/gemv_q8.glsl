// x as q8 activations (common/q8_activations.h) in registers, multiplied with the integer dot product of
// four bytes. Sums are exact: the only error is the rounding of x.
#extension GL_EXT_integer_dot_product : require

int xLow[8 * kKept], xHigh[8 * kKept]; // [column] 32 elements, four to a word, unit by unit
float xScale[2 * kKept], xTotal[2 * kKept]; // of each 16: scale and sum

/// Fetches this thread's elements of a row of x; zeros beyond its end. The squares are added to those
/// of column c the first time.
void loadX(uint column, uint c, bool firstTime)
{
    const uint own = c % kKept;
    const uint there = kExperts != kNoExperts ? column : min(column, push.count - 1);
    const uvec2 row = addUnits256(push.x, there * (q8RowBytes(push.cols) / 256));
    [[unroll]] for (uint k = 0; k < 2; ++k) {
        const uint i = k * kUnits / 2;                                   // the unit
        const uint sixteenth = places[i] * (kUnit / 16) + (kUnits == 1 ? k : 0);
        const uvec4 low = Uints4(row).v[sixteenth];
        const uvec4 high = Uints4(row).v[push.cols / 16 + sixteenth];
        [[unroll]] for (uint j = 0; j < 4; ++j) {
            xLow[8 * own + 4 * k + j] = int(low[j]);
            xHigh[8 * own + 4 * k + j] = int(high[j]);
        }
        vec2 block = Floats2(row).v[push.cols / 4 + sixteenth];
        if (kSumming)
            block *= share;
        // Scale and sum of nothing are zero, whatever the numbers are.
        xScale[2 * own + k] = inside[i] ? block.x : 0;
        xTotal[2 * own + k] = inside[i] ? block.y : 0;
        if (kNorm && firstTime && inside[i])
            squares[c] += Floats(row).v[push.cols / 2 + push.cols / 8 + sixteenth];
    }
}

/// Adds the product of one unit of a slot's row with x to the sums of column c and of all kept
/// with it.
void multiplyUnit(uint slot, uint i, uint c)
{
    const Opened p = opened(packed[slot * kUnits + i]);
    float raw[kKept], total[kKept]; // of a part
    [[unroll]] for (uint own = 0; own < kKept; ++own)
        raw[own] = total[own] = 0;
    [[unroll]] for (uint h = 0; h < kUnit / 16; ++h) {
        int w[4];
        [[unroll]] for (uint q = 0; q < 4; ++q)
            w[q] = integerQuad(p, 4 * h + q);
        const uint k = i * kUnit / 16 + h; // the 16 elements of x
        const bool ends = kHalfScales || h + 1 == kUnit / 16;
        [[unroll]] for (uint own = 0; own < kKept; ++own) {
            int low = 0, high = 0;
            [[unroll]] for (uint q = 0; q < 4; ++q) {
                low += dotPacked4x8EXT(w[q], xLow[8 * own + 4 * k + q]);
                high += dotPacked4x8EXT(w[q], xHigh[8 * own + 4 * k + q]);
            }
            // |high| ≤ 16 · 128 · 128: times 256 it fits.
            raw[own] = fma(float(256 * high + low), xScale[2 * own + k], raw[own]);
            total[own] += xTotal[2 * own + k];
            if (!ends)
                continue;
            const uint at = slot * kColumns + c + own;
            if (kIntegerZero != 0)
                raw[own] = fma(total[own], -kIntegerZero, raw[own]);
            const vec2 scale = scaleOf(p, kHalfScales ? h : 0);
            sums[at] = fma(raw[own], scale.x, sums[at]);
            if (kOffset)
                sums[at] = fma(total[own], scale.y, sums[at]);
            raw[own] = 0;
            total[own] = 0;
        }
    }
}
