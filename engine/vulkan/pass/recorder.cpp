#include "engine/vulkan/pass/recorder.h"

#include "engine/core/error.h"
#include "engine/vulkan/weights/vulkan_buffer.h"

namespace fireside::vulkan {
Access accessOf(const Tensor &tensor)
{
    return {tensor.buffer, tensor.offset, tensor.offset + bytesOf(tensor, "a tensor")};
}

bool overlap(const Access &a, const Access &b)
{
    return a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

bool isSame(const Tensor &a, const Tensor &b)
{
    return a.buffer == b.buffer && a.offset == b.offset && a.dtype == b.dtype && a.rows == b.rows &&
           a.cols == b.cols && a.stride == b.stride;
}

} // namespace fireside::vulkan
