#include "engine/model/weights.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"

namespace fireside {
namespace {

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return rows == 1 ? '[' + std::to_string(cols) + ']'
                     : '[' + std::to_string(rows) + ", " + std::to_string(cols) + ']';
}

} // namespace

WeightSource WeightTable::matrix(const std::string &name, std::int64_t rows,
                                 std::int64_t cols) const
{
    const std::string file = m_gguf.path().string();
    const GgufTensor *t = m_gguf.findTensor(name);
    if (!t)
        throwBadInput(file + " lacks the tensor '" + name + '\'');
    if (!t->dtype || *t->dtype == DType::I32)
        throwUnsupported(file + ": tensor '" + name + "': weight type " +
                         ggmlTypeName(t->ggmlType) + " is not supported");
    if (t->dims[0] != static_cast<std::uint64_t>(cols) ||
        t->dims[1] != static_cast<std::uint64_t>(rows) || t->dims[2] != 1 || t->dims[3] != 1)
        throwBadInput(file + ": tensor '" + name + "' is " +
                      shapeText(static_cast<std::int64_t>(t->dims[1]),
                                static_cast<std::int64_t>(t->dims[0])) +
                      ", expected " + shapeText(rows, cols));
    return {.name = name,
            .dtype = *t->dtype,
            .rows = rows,
            .cols = cols,
            .depth = 1,
            .bytes = t->bytes};
}

bool WeightTable::has(std::string_view name) const
{
    return m_gguf.findTensor(name) != nullptr;
}

} // namespace fireside
