#include "engine/model/weights.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/tensor_names.h"

#include <vector>

namespace fireside {
namespace {

std::string shapeText(const std::vector<std::uint64_t> &shape)
{
    std::string text = "[";
    for (const std::uint64_t n : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ']';
}

/// Without leading ones, which say nothing: a vector may be stored as [1, n].
std::vector<std::uint64_t> plain(std::vector<std::uint64_t> shape)
{
    while (shape.size() > 1 && shape.front() == 1)
        shape.erase(shape.begin());
    return shape;
}

} // namespace

const ModelTensor &WeightTable::require(const std::string &name, std::int64_t depth,
                                        std::int64_t rows, std::int64_t cols) const
{
    const std::string file = m_file.path().string();
    const ModelTensor *t = m_file.findTensor(name);
    if (!t)
        throwBadInput(file + " lacks the tensor " + fireside::quoted(name));
    if (!t->dtype || *t->dtype == DType::I32)
        throwUnsupported(file + ": tensor " + fireside::quoted(name) + ": weight type " + t->type +
                         " is not supported");
    const std::vector<std::uint64_t> expected =
        plain({static_cast<std::uint64_t>(depth), static_cast<std::uint64_t>(rows),
               static_cast<std::uint64_t>(cols)});
    if (plain(t->shape) != expected)
        throwBadInput(file + ": tensor " + fireside::quoted(name) + " is " +
                      shapeText(plain(t->shape)) + ", expected " + shapeText(expected));
    return *t;
}

WeightSource WeightTable::matrix(const std::string &name, std::int64_t rows,
                                 std::int64_t cols) const
{
    const std::string own = tensorNameIn(m_file, name);
    const ModelTensor &t = require(own, 1, rows, cols);
    return {
        .name = own, .dtype = *t.dtype, .rows = rows, .cols = cols, .depth = 1, .bytes = t.bytes};
}

WeightSource WeightTable::experts(const std::string &name, std::int64_t depth, std::int64_t rows,
                                  std::int64_t cols) const
{
    const auto names = m_file.gguf() ? std::nullopt : expertNames(m_file, name);
    if (names && !m_file.findTensor(names->packed))
        return apart(name, names->before, names->after, depth, rows, cols);
    if (!names || names->half < 0) {
        const std::string own = names ? names->packed : name;
        const ModelTensor &t = require(own, depth, rows, cols);
        return {.name = own,
                .dtype = *t.dtype,
                .rows = rows,
                .cols = cols,
                .depth = depth,
                .bytes = t.bytes};
    }
    // Gate above up in one matrix of each expert.
    const ModelTensor &t = require(names->packed, depth, 2 * rows, cols);
    WeightSource source{.name = names->packed,
                        .dtype = *t.dtype,
                        .rows = rows,
                        .cols = cols,
                        .depth = depth,
                        .bytes = {}};
    const std::size_t each = t.bytes.size() / static_cast<std::size_t>(2 * depth);
    for (std::int64_t e = 0; e < depth; ++e)
        source.parts.push_back(
            t.bytes.subspan(static_cast<std::size_t>(2 * e + names->half) * each, each));
    return source;
}

WeightSource WeightTable::apart(const std::string &name, const std::string &before,
                                const std::string &after, std::int64_t depth, std::int64_t rows,
                                std::int64_t cols) const
{
    WeightSource source{
        .name = name, .dtype = DType::F32, .rows = rows, .cols = cols, .depth = depth, .bytes = {}};
    for (std::int64_t e = 0; e < depth; ++e) {
        const std::string own = before + std::to_string(e) + after;
        const ModelTensor &t = require(own, 1, rows, cols);
        if (e == 0)
            source.dtype = *t.dtype;
        else if (*t.dtype != source.dtype)
            throwUnsupported(m_file.path().string() + ": tensor " + fireside::quoted(own) + " is " +
                             t.type + ", unlike the first expert's " +
                             fireside::name(source.dtype) + ": not supported");
        source.parts.push_back(t.bytes);
    }
    return source;
}

bool WeightTable::has(const std::string &name) const
{
    return m_file.findTensor(tensorNameIn(m_file, name)) != nullptr;
}

} // namespace fireside
