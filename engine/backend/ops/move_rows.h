#pragma once
#include "engine/backend/ops/op_check.h"

// Rows from one place to another.
namespace fireside::op {

/// out[i, :] = x[rows[i], :]
struct GatherRows
{
    static constexpr const char *kName = "gatherRows";
    Tensor x;    // [T, n]
    Tensor rows; // [m, 1] I32, packed
    Tensor out;  // [m, n]
};

/// out = x, converting between F32 and F16; views make it a concatenation or a split.
struct Copy
{
    static constexpr const char *kName = "copy";
    Tensor x, out; // [T, n]
};

/// Encoder batches, whose items are sequences: each item's rows, then zeros up to the longest.
struct Pad
{
    static constexpr const char *kName = "pad";
    Tensor x;   // [T, n]
    Tensor out; // [items · longest, n]
};

/// The way back.
struct Unpad
{
    static constexpr const char *kName = "unpad";
    Tensor x;   // [items · longest, n]
    Tensor out; // [T, n]
};

inline void check(const GatherRows &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.ids("rows", op.rows.rows, 1, op.rows);
    check.activation("x", op.x);
    check.activation("out", op.rows.rows, op.x.cols, op.out);
    if (op.x.rows == 0 && op.rows.rows > 0)
        check.fail(std::to_string(op.rows.rows) + " rows are asked of a tensor of 0");
    if (op.rows.stride != 1 && op.rows.rows > 1)
        check.fail("the row numbers have a stride of " + std::to_string(op.rows.stride) +
                   " instead of 1");
}

inline void check(const Copy &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.activation("x", op.x);
    check.activation("out", op.x.rows, op.x.cols, op.out);
}

/// `padded` has as many rows for each item, enough for the longest.
inline void checkPadded(const OpCheck &check, const char *what, const Tensor &padded,
                        const Tensor &flat, const PassRows &pass)
{
    const auto items = static_cast<std::int64_t>(pass.items.size());
    const std::int64_t longest = items > 0 ? padded.rows / items : 0;
    check.activation(what, items * longest, flat.cols, padded);
    for (const BatchItem &item : pass.items)
        if (item.rows > longest)
            check.fail("an item of " + std::to_string(item.rows) + " rows does not fit into " +
                       shapeText(padded.rows, padded.cols) + " for " + std::to_string(items) +
                       " items");
}

inline void check(const Pad &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    check.activation("x", pass.rows, op.x.cols, op.x);
    checkPadded(check, "out", op.out, op.x, pass);
}

inline void check(const Unpad &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    check.activation("out", pass.rows, op.out.cols, op.out);
    checkPadded(check, "x", op.x, op.out, pass);
}

} // namespace fireside::op
