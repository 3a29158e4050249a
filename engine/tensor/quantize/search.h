#pragma once
#include "engine/tensor/quantize/lanes.h"

// The search for the scale and the minimum of a group: codes for several scales, and for each set
// of codes the factors that fit best (weighted least squares). Sixteen groups at a time, one in
// each lane.
namespace fireside {
namespace {

/// How much a number's error counts.
enum class Weighting {
    Alike,
    BySize, // |x| + the root of the mean square
};

/// Sixteen groups of N numbers: lane g of x[i] is number i of group g.
template <int N>
struct Groups
{
    Floats x[N], weight[N];
    Floats sumW, sumWX;
    Floats least, most; // of x
    Floats extreme;     // the one of largest magnitude

    Groups(const float *in, Weighting weighting)
    {
        for (int g = 0; g < kLanes; ++g)
            for (int i = 0; i < N; ++i)
                x[i][g] = in[g * N + i];
        Floats squares{};
        least = most = x[0];
        for (int i = 0; i < N; ++i) {
            squares += x[i] * x[i];
            least = smaller(least, x[i]);
            most = larger(most, x[i]);
        }
        extreme = -least > most ? least : most;
        Floats mean = squares / static_cast<float>(N);
        for (int g = 0; g < kLanes; ++g)
            mean[g] = __builtin_sqrtf(mean[g]);
        sumW = sumWX = Floats{};
        for (int i = 0; i < N; ++i) {
            weight[i] = weighting == Weighting::Alike ? all(1) : mean + magnitude(x[i]);
            sumW += weight[i];
            sumWX += weight[i] * x[i];
        }
    }
};

/// x ≈ scale · code + minimum. `gain` is how much smaller than Σ w x² the error is.
struct Fit
{
    Floats scale, minimum, gain;

    void take(const Floats &s, const Floats &m, const Floats &g)
    {
        const Masks better = g > gain; // not where it is NaN
        scale = better ? s : scale;
        minimum = better ? m : minimum;
        gain = better ? g : gain;
    }
};

/// Sums over a group's codes l, from which factors follow.
struct CodeSums
{
    Floats l, ll, lx;
    Floats gain(const Floats &sumW, const Floats &sumWX, const Floats &s, const Floats &m) const
    {
        return 2.0f * (s * lx + m * sumWX) - s * s * ll - 2.0f * s * m * l - m * m * sumW;
    }
};

template <int N>
CodeSums affineSums(const Groups<N> &groups, const Floats &inverse, const Floats &minimum,
                    float mostCode)
{
    CodeSums sums{};
    for (int i = 0; i < N; ++i) {
        const Floats l = codeOf((groups.x[i] - minimum) * inverse, mostCode);
        const Floats wl = groups.weight[i] * l;
        sums.l += wl;
        sums.ll += wl * l;
        sums.lx += wl * groups.x[i];
    }
    return sums;
}

/// The best factors for the codes that `inverse` and `minimum` give. Where the minimum must not be
/// above zero and would be, it is zero.
template <int N>
void tryAffine(const Groups<N> &groups, const Floats &inverse, const Floats &from, float mostCode,
               bool anyMinimum, Fit &best)
{
    const CodeSums sums = affineSums(groups, inverse, from, mostCode);
    const Floats det = groups.sumW * sums.ll - sums.l * sums.l;
    Floats scale = (groups.sumW * sums.lx - groups.sumWX * sums.l) / det;
    Floats minimum = (sums.ll * groups.sumWX - sums.l * sums.lx) / det;
    if (!anyMinimum) {
        const Masks above = minimum > 0.0f;
        scale = above ? sums.lx / sums.ll : scale;
        minimum = above ? Floats{} : minimum;
    }
    best.take(scale, minimum, scale * sums.lx + minimum * groups.sumWX);
}

struct AffineSearch
{
    float mostCode;
    bool anyMinimum;
    int above, below; // steps by which the range of codes is made wider or narrower
    float step;       // in codes
    int rounds;       // of fitting codes to factors and factors to codes
};

template <int N>
Fit fitAffine(const Groups<N> &groups, const AffineSearch &search)
{
    const Floats least = search.anyMinimum ? groups.least : smaller(groups.least, Floats{});
    const Floats range = groups.most - least;
    const Floats first = range > 0.0f ? search.mostCode / range : Floats{};
    Fit best{range / search.mostCode, least, {}};
    best.gain = affineSums(groups, first, least, search.mostCode)
                    .gain(groups.sumW, groups.sumWX, best.scale, best.minimum);
    for (int top = -search.below; top <= search.above; ++top)
        for (int bottom = -search.below; bottom <= search.above; ++bottom) {
            // The top of the range at code mostCode + top · step, its bottom at −bottom · step.
            const float codes = search.mostCode + search.step * static_cast<float>(top + bottom);
            const Floats inverse = range > 0.0f ? codes / range : Floats{};
            const Floats from = least + range * (search.step * static_cast<float>(bottom) / codes);
            tryAffine(groups, inverse, from, search.mostCode, search.anyMinimum, best);
        }
    for (int i = 0; i < search.rounds; ++i) {
        const Floats inverse = best.scale > 0.0f ? 1.0f / best.scale : Floats{};
        tryAffine(groups, inverse, best.minimum, search.mostCode, search.anyMinimum, best);
    }
    return best;
}

} // namespace
} // namespace fireside
