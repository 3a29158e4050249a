#pragma once
#include "engine/backend/ops/transform_heads.h"

namespace fireside::op {

/// MLA, arXiv 2405.04434: latent and rotated ropePart become one row [rank + r] of a latent cache
/// with one kv head.
struct AppendLatent
{
    static constexpr const char *kName = "appendLatent";
    Tensor latent;   // [T, rank]
    Tensor ropePart; // [T, r]
    Rope rope;       // turns all of ropePart
    std::int64_t layer = 0;
};

inline void check(const AppendLatent &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    check.activation("latent", pass.rows, op.latent.cols, op.latent);
    check.activation("ropePart", pass.rows, op.ropePart.cols, op.ropePart);
    checkTransform(check, {op.ropePart.cols, nullptr, 0, op.rope}, op.ropePart.cols);
}

} // namespace fireside::op
