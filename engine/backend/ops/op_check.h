#pragma once
#include "engine/backend/batch.h"
#include "engine/backend/memory.h"
#include "engine/backend/ops/activation.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fireside::op {

/// What the shapes of an op may hang on besides its own fields.
struct PassRows
{
    std::int64_t rows = 0;            // T
    std::span<const BatchItem> items; // that share them
};

/// A part of a layer's recurrent state (KvLayer::state) of each item.
struct StatePart
{
    std::int64_t layer = 0, offset = 0, count = 0; // in numbers
};

/// Says where an op's fields do not fit each other: Error(Internal) with the op's name, what came
/// and what was wanted, "rmsNorm: out should be [4, 64] but is [3, 64]".
class OpCheck
{
public:
    explicit OpCheck(const char *op)
        : m_op(op)
    {}

    /// F32 or F16 of this shape.
    void activation(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const;
    /// F32 or F16 of any shape.
    void activation(const char *what, const Tensor &t) const;
    void floats(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const;
    void ids(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const;
    void matrix(const Weight &w, std::int64_t rows, std::int64_t cols,
                std::int64_t depth = 1) const;
    /// One row of `cols`; none is fine.
    void vector(const Weight *w, std::int64_t cols, std::int64_t depth = 1) const;
    /// Neither layer nor place are negative.
    void state(const StatePart &part) const;
    /// The layer of an item's cache that holds this part of a state.
    const KvLayer &layerWith(const StatePart &part, std::span<const KvLayer> layers) const;
    /// As many values of the host as the tensor has elements.
    void count(const Tensor &t, std::size_t values) const;
    /// A function between a gate and an up input: Error(Unsupported) for one that has numbers.
    void gate(Activation act) const;
    [[noreturn]] void fail(const std::string &text) const;

private:
    void shape(const std::string &what, std::int64_t rows, std::int64_t cols, std::int64_t gotRows,
               std::int64_t gotCols) const;
    const char *m_op;
};

/// "[4, 64]"
std::string shapeText(std::int64_t rows, std::int64_t cols);

} // namespace fireside::op
