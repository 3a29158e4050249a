#include "engine/cpu/checks.h"

#include "engine/core/error.h"

namespace fireside::cpu {

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return std::string("[") + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 std::int64_t gotRows, std::int64_t gotCols)
{
    if (rows != gotRows || cols != gotCols)
        throwInternal(std::string(op) + ": " + what + " should be " + shapeText(rows, cols) +
                      " but is " + shapeText(gotRows, gotCols));
}

void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 const Tensor &t)
{
    expectShape(op, what, rows, cols, t.rows, t.cols);
}

void expectShape(const char *op, std::int64_t rows, std::int64_t cols, const Weight &w,
                 std::int64_t depth)
{
    expectShape(op, w.name.c_str(), rows, cols, w.rows, w.cols);
    if (w.depth != depth)
        throwInternal(std::string(op) + ": " + w.name + " should be " + shapeText(rows, cols) +
                      " of depth " + std::to_string(depth) + " but has " + std::to_string(w.depth));
}

void checkShape(const char *op, const AttentionShape &s)
{
    if (s.heads <= 0 || s.kvHeads <= 0 || s.headDim <= 0 || s.values() <= 0 ||
        s.heads % s.kvHeads != 0 || s.window < 0)
        throwInternal(std::string(op) + ": invalid attention shape, " + std::to_string(s.heads) +
                      " heads, " + std::to_string(s.kvHeads) + " kv heads of " +
                      std::to_string(s.headDim) + " and " + std::to_string(s.values()) +
                      ", window " + std::to_string(s.window));
}

} // namespace fireside::cpu
