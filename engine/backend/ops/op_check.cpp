#include "engine/backend/ops/op_check.h"

#include "engine/core/error.h"

#include <algorithm>

namespace fireside::op {

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

void OpCheck::fail(const std::string &text) const
{
    throwInternal(std::string(m_op) + ": " + text);
}

void OpCheck::shape(const std::string &what, std::int64_t rows, std::int64_t cols,
                    std::int64_t gotRows, std::int64_t gotCols) const
{
    if (rows != gotRows || cols != gotCols)
        fail(what + " should be " + shapeText(rows, cols) + " but is " +
             shapeText(gotRows, gotCols));
}

void OpCheck::activation(const char *what, const Tensor &t) const
{
    if (t.dtype != DType::F32 && t.dtype != DType::F16)
        fail(std::string(what) + " is " + name(t.dtype) + ", neither F32 nor F16");
}

void OpCheck::activation(const char *what, std::int64_t rows, std::int64_t cols,
                         const Tensor &t) const
{
    shape(what, rows, cols, t.rows, t.cols);
    activation(what, t);
}

void OpCheck::floats(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const
{
    shape(what, rows, cols, t.rows, t.cols);
    if (t.dtype != DType::F32)
        fail(std::string(what) + " should be F32 but is " + name(t.dtype));
}

void OpCheck::ids(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const
{
    shape(what, rows, cols, t.rows, t.cols);
    if (t.dtype != DType::I32)
        fail(std::string(what) + " should be I32 but is " + name(t.dtype));
}

void OpCheck::state(const StatePart &part) const
{
    if (part.layer < 0 || part.offset < 0)
        fail("a state in layer " + std::to_string(part.layer) + " from number " +
             std::to_string(part.offset) + " on");
}

const KvLayer &OpCheck::layerWith(const StatePart &part, std::span<const KvLayer> layers) const
{
    if (static_cast<std::size_t>(part.layer) >= layers.size())
        fail("layer " + std::to_string(part.layer) + " is not in a cache of " +
             std::to_string(layers.size()) + " layers");
    const KvLayer &layer = layers[static_cast<std::size_t>(part.layer)];
    const std::size_t bytes = layer.state != nullptr ? layer.state->size() : 0;
    const auto there =
        std::min<std::int64_t>(layer.stateSize, static_cast<std::int64_t>(bytes / sizeof(float)));
    if (part.count > there || part.offset > there - part.count)
        fail("numbers " + std::to_string(part.offset) + " + " + std::to_string(part.count) +
             " of the state of layer " + std::to_string(part.layer) + ", which has " +
             std::to_string(there) + " on this device");
    return layer;
}

void OpCheck::count(const Tensor &t, std::size_t values) const
{
    if (t.rows < 0 || t.cols < 0 ||
        static_cast<std::size_t>(t.rows) * static_cast<std::size_t>(t.cols) != values)
        fail(std::to_string(values) + " values for " + shapeText(t.rows, t.cols));
}

void OpCheck::matrix(const Weight &w, std::int64_t rows, std::int64_t cols,
                     std::int64_t depth) const
{
    shape(w.name, rows, cols, w.rows, w.cols);
    if (w.depth != depth)
        fail(w.name + " should be " + shapeText(rows, cols) + " of depth " + std::to_string(depth) +
             " but has " + std::to_string(w.depth));
}

void OpCheck::vector(const Weight *w, std::int64_t cols, std::int64_t depth) const
{
    if (w != nullptr)
        matrix(*w, 1, cols, depth);
}

void OpCheck::gate(Activation act) const
{
    if (act == Activation::XIelu)
        throwUnsupported(std::string(m_op) + " with xIELU as its function");
}

} // namespace fireside::op
