#pragma once
#include "engine/backend/ops/op_check.h"

#include <optional>

// Norms of each row. out may be x.
namespace fireside::op {

/// out = x / √(mean(x²) + eps) · weight
struct RmsNorm
{
    static constexpr const char *kName = "rmsNorm";
    Tensor x;             // [T, n]
    const Weight &weight; // [1, n]
    float eps = 0;
    Tensor out;                       // [T, n]
    std::optional<Tensor> residual{}; // [T, n]: residual += x first, and its norm is taken
};

/// out = (x − mean) / √(variance + eps) · weight (+ bias), arXiv 1607.06450
struct LayerNorm
{
    static constexpr const char *kName = "layerNorm";
    Tensor x;                     // [T, n]
    const Weight &weight;         // [1, n]
    const Weight *bias = nullptr; // [1, n] or none
    float eps = 0;
    Tensor out;                       // [T, n]
    std::optional<Tensor> residual{}; // as in RmsNorm
};

/// out = x / √Σx²; a zero row stays zero.
struct L2Normalize
{
    static constexpr const char *kName = "l2Normalize";
    Tensor x, out; // [T, n]
};

template <typename Norm>
inline void checkNorm(const OpCheck &check, const Norm &op)
{
    check.activation("x", op.x);
    check.activation("out", op.x.rows, op.x.cols, op.out);
}

template <typename Norm>
inline void checkResidual(const OpCheck &check, const Norm &op)
{
    if (op.residual)
        check.activation("residual", op.x.rows, op.x.cols, *op.residual);
    check.vector(&op.weight, op.x.cols);
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

} // namespace fireside::op
