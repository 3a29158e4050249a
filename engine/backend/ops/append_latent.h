#pragma once
#include "engine/backend/ops/transform_heads.h"

namespace fireside::op {

/// MLA, arXiv 2405.04434: latent, normalised, and rotated ropePart become one row [rank + r] of a
/// latent cache with one kv head. What of each query turns by itself turns alike.
struct AppendLatent
{
    static constexpr const char *kName = "appendLatent";
    Tensor latent;   // [T, rank]
    Tensor ropePart; // [T, r]
    Rope rope;       // turns all of ropePart
    std::int64_t layer = 0;
    const Weight *norm = nullptr; // [1, rank] RMS norm of latent, or none
    float eps = 0;
    /// Columns of `queries` from one head to the next and of `turned`; a head has r of them.
    std::int64_t heads = 0, queryStep = 0, turnedStep = 0; // 0 heads: no queries
    Tensor queries, turned; // [T, (heads − 1)·step + r]; turned may be queries
};

inline void check(const AppendLatent &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const std::int64_t r = op.ropePart.cols;
    check.activation("latent", pass.rows, op.latent.cols, op.latent);
    check.activation("ropePart", pass.rows, r, op.ropePart);
    check.vector(op.norm, op.latent.cols);
    checkTransform(check, {r, nullptr, 0, op.rope}, r);
    if (op.heads == 0)
        return;
    if (op.heads < 0 || op.queryStep < r || op.turnedStep < r)
        check.fail(std::to_string(op.heads) + " heads of " + std::to_string(r) + " channels, " +
                   std::to_string(op.queryStep) + " and " + std::to_string(op.turnedStep) +
                   " columns apart");
    check.activation("queries", pass.rows, (op.heads - 1) * op.queryStep + r, op.queries);
    check.activation("turned", pass.rows, (op.heads - 1) * op.turnedStep + r, op.turned);
}

} // namespace fireside::op
