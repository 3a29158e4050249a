#pragma once
#include "engine/backend/ops/op_check.h"

#include <optional>

// Norms of each row, or of each of its `groups` equal parts by itself; weights and biases are of
// the whole row. out may be x.
namespace fireside::op {

/// out = x / √(mean(x²) + eps) · weight
struct RmsNorm
{
    static constexpr const char *kName = "rmsNorm";
    Tensor x;                       // [T, n]
    const Weight *weight = nullptr; // [1, n] or none
    float eps = 0;
    Tensor out;                       // [T, n]
    std::optional<Tensor> residual{}; // [T, n]: residual += x first, and its norm is taken
    std::int64_t groups = 1;
};

/// out = (x − mean) / √(variance + eps) · weight (+ bias), arXiv 1607.06450
struct LayerNorm
{
    static constexpr const char *kName = "layerNorm";
    Tensor x;                       // [T, n]
    const Weight *weight = nullptr; // [1, n] or none
    const Weight *bias = nullptr;   // [1, n] or none
    float eps = 0;
    Tensor out;                       // [T, n]
    std::optional<Tensor> residual{}; // as in RmsNorm
    std::int64_t groups = 1;
};

/// out = x / √(Σx² + eps); zeros stay zeros.
struct L2Normalize
{
    static constexpr const char *kName = "l2Normalize";
    Tensor x, out; // [T, n]
    float eps = 0;
    std::int64_t groups = 1;
};

/// out = max(x − (mean(x) + k·√variance(x)), 0): what stands out of a row (Gemma 3n). k is the
/// normal distribution's quantile of the part to become zero; the variance's divisor is n.
struct GaussianSparsify
{
    static constexpr const char *kName = "gaussianSparsify";
    Tensor x; // [T, n]
    float k = 0;
    Tensor out; // [T, n]
};

inline void checkRows(const OpCheck &check, const Tensor &x, const Tensor &out)
{
    check.activation("x", x);
    check.activation("out", x.rows, x.cols, out);
}

template <typename Norm>
inline void checkNorm(const OpCheck &check, const Norm &op)
{
    checkRows(check, op.x, op.out);
    if (op.groups < 1 || op.x.cols % op.groups != 0)
        check.fail(std::to_string(op.x.cols) + " columns in " + std::to_string(op.groups) +
                   " groups");
}

template <typename Norm>
inline void checkResidual(const OpCheck &check, const Norm &op)
{
    if (op.residual)
        check.activation("residual", op.x.rows, op.x.cols, *op.residual);
    check.vector(op.weight, op.x.cols);
}

inline void check(const RmsNorm &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    checkNorm(check, op);
    checkResidual(check, op);
}

inline void check(const LayerNorm &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    checkNorm(check, op);
    checkResidual(check, op);
    check.vector(op.bias, op.x.cols);
}

inline void check(const L2Normalize &op, const PassRows & /*pass*/)
{
    checkNorm(OpCheck(op.kName), op);
}

inline void check(const GaussianSparsify &op, const PassRows & /*pass*/)
{
    checkRows(OpCheck(op.kName), op.x, op.out);
}

} // namespace fireside::op
