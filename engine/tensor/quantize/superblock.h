#pragma once
#include "engine/tensor/half.h"
#include "engine/tensor/quantize/search_even.h"

#include <cmath>

// Blocks of 256 whose groups have scales, and minimums, that are whole numbers themselves: steps of
// the block's own d and dmin in F16. One tile of groups holds one such block or two.
namespace fireside {
namespace {

inline float asHalf(float x)
{
    return halfToFloat(floatToHalf(x));
}

/// What a tile becomes: x ≈ d · step · code − dmin · minimumStep.
struct TileFactors
{
    Floats d, dmin; // the same in all lanes of a block
    Floats step, minimumStep;
};

/// The largest of `count` lanes from `first` on.
inline float largestIn(const Floats &x, int first, int count)
{
    float most = x[first];
    for (int i = 1; i < count; ++i)
        most = most < x[first + i] ? x[first + i] : most;
    return most;
}
inline float sumIn(const Floats &x, int first, int count)
{
    float sum = 0;
    for (int i = 0; i < count; ++i)
        sum += x[first + i];
    return sum;
}
inline void setIn(Floats &x, int first, int count, float value)
{
    for (int i = 0; i < count; ++i)
        x[first + i] = value;
}

template <int N>
Floats affineError(const Groups<N> &groups, const Floats &scale, const Floats &minimum,
                   float mostCode)
{
    const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
    Floats error{};
    for (int i = 0; i < N; ++i) {
        const Floats l = codeOf((groups.x[i] - minimum) * inverse, mostCode);
        const Floats off = scale * l + minimum - groups.x[i];
        error += groups.weight[i] * off * off;
    }
    return error;
}

/// The steps, and those around them, that leave the least error.
template <int N>
Floats chooseSteps(const Groups<N> &groups, TileFactors &f, float mostCode, float mostStep)
{
    const Floats middle = f.step, middleMinimum = f.minimumStep;
    Floats best = all(INFINITY);
    for (int s = 0; s < 3; ++s)
        for (int m = 0; m < 3; ++m) {
            // 0, +1, −1
            const Floats step = smaller(
                larger(middle + static_cast<float>(s == 2 ? -1 : s), Floats{}), all(mostStep));
            const Floats minimumStep =
                smaller(larger(middleMinimum + static_cast<float>(m == 2 ? -1 : m), Floats{}),
                        all(mostStep));
            const Floats error = affineError(groups, f.d * step, -(f.dmin * minimumStep), mostCode);
            const Masks better = error < best;
            best = better ? error : best;
            f.step = better ? step : f.step;
            f.minimumStep = better ? minimumStep : f.minimumStep;
        }
    return best;
}

/// d and dmin that fit best to codes and steps as they are.
template <int N>
void refitBlocks(const Groups<N> &groups, TileFactors &f, float mostCode, int lanes)
{
    const Floats scale = f.d * f.step;
    const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
    const CodeSums sums = affineSums(groups, inverse, -(f.dmin * f.minimumStep), mostCode);
    // x ≈ d · a − dmin · b with a = step · l, b = minimumStep
    const Floats aa = f.step * f.step * sums.ll, ab = f.step * f.minimumStep * sums.l;
    const Floats bb = f.minimumStep * f.minimumStep * groups.sumW;
    const Floats ax = f.step * sums.lx, bx = f.minimumStep * groups.sumWX;
    for (int at = 0; at < kLanes; at += lanes) {
        const float AA = sumIn(aa, at, lanes), AB = sumIn(ab, at, lanes);
        const float BB = sumIn(bb, at, lanes), AX = sumIn(ax, at, lanes);
        const float BX = sumIn(bx, at, lanes);
        const float det = AA * BB - AB * AB;
        float d = AX / AA, dmin = 0;
        if (BB > 0) {
            d = (AX * BB - AB * BX) / det;
            dmin = (AX * AB - AA * BX) / det;
        }
        d = asHalf(d);
        dmin = asHalf(dmin);
        if (!(d > 0) || !(dmin >= 0) || !(d < INFINITY) || !(dmin < INFINITY))
            continue;
        setIn(f.d, at, lanes, d);
        setIn(f.dmin, at, lanes, dmin);
    }
}

template <int N>
TileFactors affineFactors(const Groups<N> &groups, const Fit &fit, float mostCode, float mostStep,
                          int lanes, int rounds)
{
    TileFactors f{};
    const Floats depth = -fit.minimum;
    for (int at = 0; at < kLanes; at += lanes) {
        setIn(f.d, at, lanes, asHalf(largestIn(fit.scale, at, lanes) / mostStep));
        setIn(f.dmin, at, lanes, asHalf(largestIn(depth, at, lanes) / mostStep));
    }
    f.step = codeOf(f.d > 0.0f ? fit.scale / f.d : Floats{}, mostStep);
    f.minimumStep = codeOf(f.dmin > 0.0f ? depth / f.dmin : Floats{}, mostStep);
    TileFactors best = f;
    Floats least = chooseSteps(groups, best, mostCode, mostStep);
    f = best;
    for (int i = 0; i < rounds; ++i) {
        refitBlocks(groups, f, mostCode, lanes);
        const Floats error = chooseSteps(groups, f, mostCode, mostStep);
        for (int at = 0; at < kLanes; at += lanes) {
            if (!(sumIn(error, at, lanes) < sumIn(least, at, lanes)))
                continue;
            for (int g = at; g < at + lanes; ++g) {
                least[g] = error[g];
                best.d[g] = f.d[g];
                best.dmin[g] = f.dmin[g];
                best.step[g] = f.step[g];
                best.minimumStep[g] = f.minimumStep[g];
            }
        }
    }
    return best;
}

template <int N>
Floats evenError(const Groups<N> &groups, const WholeValues &values, const Floats &scale)
{
    const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
    Floats error{};
    for (int i = 0; i < N; ++i) {
        const Floats off = scale * values(groups.x[i] * inverse) - groups.x[i];
        error += groups.weight[i] * off * off;
    }
    return error;
}

/// Steps from −mostStep to mostStep − 1, of both signs; no minimums.
template <int N>
Floats chooseEvenSteps(const Groups<N> &groups, const WholeValues &values, TileFactors &f,
                       float mostStep, int reach)
{
    const Floats middle = f.step;
    Floats best = all(INFINITY);
    for (int k = 0; k <= 2 * reach; ++k) {
        const auto off = static_cast<float>(k % 2 == 0 ? k / 2 : -(k + 1) / 2);
        const Floats step = smaller(larger(middle + off, all(-mostStep)), all(mostStep - 1));
        const Floats error = evenError(groups, values, f.d * step);
        const Masks better = error < best;
        best = better ? error : best;
        f.step = better ? step : f.step;
    }
    return best;
}

/// One block to a tile.
template <int N>
TileFactors evenFactors(const Groups<N> &groups, const WholeValues &values, const Fit &fit,
                        float mostStep, int reach, int rounds)
{
    float extreme = 0;
    for (int g = 0; g < kLanes; ++g)
        if (std::fabs(fit.scale[g]) > std::fabs(extreme))
            extreme = fit.scale[g];
    TileFactors f{};
    f.d = all(asHalf(-extreme / mostStep));
    const Floats quotient = f.d != 0.0f ? fit.scale / f.d : Floats{};
    f.step = rounded(smaller(larger(quotient, all(-mostStep)), all(mostStep - 1)));
    TileFactors best = f;
    float least = sumIn(chooseEvenSteps(groups, values, best, mostStep, reach), 0, kLanes);
    f = best;
    for (int i = 0; i < rounds; ++i) {
        const Floats scale = f.d * f.step;
        const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
        CodeSums sums{};
        for (int k = 0; k < N; ++k) {
            const Floats v = values(groups.x[k] * inverse);
            const Floats wv = groups.weight[k] * v;
            sums.ll += wv * v;
            sums.lx += wv * groups.x[k];
        }
        const float d = asHalf(sumIn(f.step * sums.lx, 0, kLanes) /
                               sumIn(f.step * f.step * sums.ll, 0, kLanes));
        if (!(std::fabs(d) < INFINITY) || d == 0)
            break;
        f.d = all(d);
        const float error = sumIn(chooseEvenSteps(groups, values, f, mostStep, reach), 0, kLanes);
        if (!(error < least))
            break;
        least = error;
        best = f;
    }
    return best;
}

} // namespace
} // namespace fireside
