#pragma once
#include "engine/backend/ops/op_check.h"

#include <optional>

namespace fireside::op {

/// Inputs in the order of a weight's columns (Weight::columns); with ids each row in that of its
/// expert: out[r, j] = x[r / k, columns[e, j]] with k = rows of out / rows of x, and e = 0 or what
/// ids hold for row r. Ids are not trusted: an expert that does not exist gives zeros.
struct GatherColumns
{
    static constexpr const char *kName = "gatherColumns";
    Tensor x;                        // [T, n], or [T·k, n]
    const Weight *columns = nullptr; // [1, n], of depth E with ids; none: each column its own
    std::optional<Tensor> ids;       // [T, k]
    Tensor out;                      // [T, n], or with ids [T·k, n]
};

inline void check(const GatherColumns &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const std::int64_t rows = op.ids ? op.ids->rows * op.ids->cols : op.x.rows;
    check.activation("x", op.x);
    check.activation("out", rows, op.x.cols, op.out);
    check.vector(op.columns, op.x.cols, op.ids && op.columns ? op.columns->depth : 1);
    if (!op.ids)
        return;
    check.ids("ids", op.ids->rows, op.ids->cols, *op.ids);
    if (op.x.rows != rows && op.x.rows != op.ids->rows)
        check.fail("x of " + std::to_string(op.x.rows) + " rows for " + std::to_string(rows));
}

} // namespace fireside::op
