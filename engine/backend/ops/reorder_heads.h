#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside {

/// [T, H·D] token-major ↔ [H·T, D] head-major (head h at rows h·T …).
enum class HeadOrder { TokenMajor, HeadMajor };

} // namespace fireside

namespace fireside::op {

/// x in the one order → out in the other.
struct ReorderHeads
{
    static constexpr const char *kName = "reorderHeads";
    Tensor x;
    std::int64_t heads = 0;
    HeadOrder to = HeadOrder::HeadMajor; // of out
    Tensor out;
};

inline void check(const ReorderHeads &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const bool toHeads = op.to == HeadOrder::HeadMajor;
    const Tensor &tokens = toHeads ? op.x : op.out, &byHead = toHeads ? op.out : op.x;
    if (op.heads <= 0 || tokens.cols % op.heads != 0)
        check.fail(std::to_string(op.heads) + " heads in " + shapeText(tokens.rows, tokens.cols));
    check.activation(toHeads ? "out" : "x", op.heads * tokens.rows, tokens.cols / op.heads, byHead);
    check.activation(toHeads ? "x" : "out", tokens);
}

} // namespace fireside::op
