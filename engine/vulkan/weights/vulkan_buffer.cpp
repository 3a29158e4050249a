#include "engine/vulkan/weights/vulkan_buffer.h"

#include "engine/core/error.h"

#include <algorithm>

namespace fireside::vulkan {

const VulkanBuffer &asVulkan(const Buffer *buffer, std::string_view what)
{
    const auto *own = dynamic_cast<const VulkanBuffer *>(buffer);
    if (own == nullptr)
        throw Error(ErrorKind::Internal,
                    std::string(what) +
                        (buffer != nullptr ? " is not on a Vulkan device" : " has no memory"));
    return *own;
}

std::size_t bytesOf(const Tensor &tensor, std::string_view what)
{
    const std::size_t element = info(tensor.dtype).blockBytes;
    const std::size_t size = tensor.buffer != nullptr ? tensor.buffer->size() : 0;
    std::size_t last = 0, elements = 0, bytes = 0, end = 0;
    const bool plain =
        tensor.dtype == DType::F32 || tensor.dtype == DType::F16 || tensor.dtype == DType::I32;
    const bool sane = plain && tensor.rows >= 0 && tensor.cols >= 0 &&
                      tensor.stride >= tensor.cols && tensor.offset % element == 0;
    if (sane && (tensor.rows == 0 || tensor.cols == 0))
        return 0;
    if (!sane ||
        __builtin_mul_overflow(static_cast<std::size_t>(tensor.rows - 1),
                               static_cast<std::size_t>(tensor.stride), &last) ||
        __builtin_add_overflow(last, static_cast<std::size_t>(tensor.cols), &elements) ||
        __builtin_mul_overflow(elements, element, &bytes) ||
        __builtin_add_overflow(bytes, tensor.offset, &end) || end > size)
        throw Error(ErrorKind::Internal,
                    std::string(what) + " [" + std::to_string(tensor.rows) + ", " +
                        std::to_string(tensor.cols) + "] " + name(tensor.dtype) + " with stride " +
                        std::to_string(tensor.stride) + " at byte " +
                        std::to_string(tensor.offset) + " is not a matrix inside its buffer of " +
                        std::to_string(size) + " bytes");
    return bytes;
}

} // namespace fireside::vulkan
