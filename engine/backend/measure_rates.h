#pragma once
#include "engine/backend/backend.h"

namespace fireside {

/// What a device does a second with its own kernels: products of large matrices in F16, Q4_K and
/// Q8_0 that no cache holds, with one row; of matrices as models have them, with many; and of small
/// ones. Takes some 0.4 s, more where memory is slow, and 200 MB of its memory for as long (27 more
/// for each core beyond seven); an opened device that nothing else uses. Error: Memory (not twice
/// as much RAM is free: the last of it is not for this), Device, Cancelled.
MachineRates measureRates(Device &device, const std::stop_token &stop = {});

/// The matrices that products of a whole chunk are measured with on a device of so many threads
/// (of a graphics processor: 0), how many products a pass has, and of how many tokens.
struct ProbeProducts
{
    std::int64_t rows = 0;
    int times = 0;
    std::int64_t tokens = 0;
};
/// Of weights of bytes or of floats. A matrix is divided among threads, or the processors of a
/// card: what each gets has to be as much as of a model's, since small pieces multiply at half the
/// rate.
ProbeProducts probeProducts(int threads, bool floats);

} // namespace fireside
