#pragma once
#include "engine/backend/commands.h"

#include <cstddef>
#include <cstdint>
#include <string>

// Checks of what is recorded: a mismatch is Error(Internal) with both shapes.
namespace fireside::cpu {

std::string shapeText(std::int64_t rows, std::int64_t cols);

/// Both shapes in the message: the expected one and what came.
void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 std::int64_t gotRows, std::int64_t gotCols);
void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 const Tensor &t);
/// A weight of one matrix, or of `depth`.
void expectShape(const char *op, std::int64_t rows, std::int64_t cols, const Weight &w,
                 std::int64_t depth = 1);
void checkShape(const char *op, const AttentionShape &shape);

inline std::size_t size(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

} // namespace fireside::cpu
