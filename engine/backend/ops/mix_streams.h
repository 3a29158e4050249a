#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Streams side by side in a row are mixed (AltUp, arXiv 2301.13310):
/// out_j (+)= Σ_i (coefficients[t, j·from + i] + plus) · x_i. out is not x.
struct MixStreams
{
    static constexpr const char *kName = "mixStreams";
    Tensor x;            // [T, from·n]
    Tensor coefficients; // [T, to·from]
    Tensor out;          // [T, to·n]
    std::int64_t from = 1, to = 1;
    float plus = 0;
    Accumulate mode = Accumulate::Overwrite;
};

inline void check(const MixStreams &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    if (op.from < 1 || op.to < 1 || op.x.cols % op.from != 0)
        check.fail(std::to_string(op.x.cols) + " columns of " + std::to_string(op.from) +
                   " streams to " + std::to_string(op.to));
    check.activation("x", op.x);
    check.activation("coefficients", op.x.rows, op.to * op.from, op.coefficients);
    check.activation("out", op.x.rows, op.x.cols / op.from * op.to, op.out);
}

} // namespace fireside::op
