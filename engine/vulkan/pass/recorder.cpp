#include "engine/vulkan/pass/recorder.h"

#include "engine/core/error.h"
#include "engine/vulkan/weights/vulkan_buffer.h"

namespace fireside::vulkan {
namespace {

[[noreturn]] void throwShape(const char *op, const std::string &what, std::int64_t rows,
                             std::int64_t cols, std::int64_t gotRows, std::int64_t gotCols)
{
    const auto text = [](std::int64_t r, std::int64_t c) {
        return "[" + std::to_string(r) + ", " + std::to_string(c) + "]";
    };
    throw Error(ErrorKind::Internal, std::string(op) + ": " + what + " should be " +
                                         text(rows, cols) + " but is " + text(gotRows, gotCols));
}

} // namespace

Access accessOf(const Tensor &tensor)
{
    return {tensor.buffer, tensor.offset, tensor.offset + bytesOf(tensor, "a tensor")};
}

bool overlap(const Access &a, const Access &b)
{
    return a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 const Tensor &tensor)
{
    if (tensor.rows != rows || tensor.cols != cols)
        throwShape(op, what, rows, cols, tensor.rows, tensor.cols);
}

void expectShape(const char *op, std::int64_t rows, std::int64_t cols, const Weight &weight)
{
    if (weight.rows != rows || weight.cols != cols)
        throwShape(op, weight.name, rows, cols, weight.rows, weight.cols);
}

void expectActivation(const char *op, const char *what, const Tensor &tensor)
{
    if (tensor.dtype != DType::F32 && tensor.dtype != DType::F16)
        throw Error(ErrorKind::Internal, std::string(op) + ": " + what + " is " +
                                             name(tensor.dtype) + ", neither F32 nor F16");
}

} // namespace fireside::vulkan
