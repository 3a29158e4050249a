#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

namespace fireside {

class ThreadPool;

/// Whether quantizeTensor() makes this type: F32, F16, BF16, and the types of blocks that are
/// searched for (quantize/types.h).
bool canQuantizeTo(DType type);

/// The numbers of a tensor, one after another, on their way into another type.
struct QuantizeJob
{
    std::string name; // of file and tensor, for errors
    DType from = DType::F32;
    std::span<const std::byte> in;
    DType to = DType::Q8_0;
    std::span<std::byte> out; // rowBytes(to, as many)
};

/// Scales and minimums by weighted least squares, without knowledge of what a number is multiplied
/// with. The same bytes on every processor. Rows must be whole numbers of blocks of both types.
/// Error(BadInput) for NaN, infinities and numbers beyond the type's range; Error(Cancelled).
void quantizeTensor(const QuantizeJob &job, ThreadPool &pool, const std::stop_token &stop = {});

} // namespace fireside
