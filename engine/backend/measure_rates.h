#pragma once
#include "engine/backend/backend.h"

namespace fireside {

/// What a device does a second with its own kernels: products of large matrices in Q8_0 and F16
/// that no cache holds, with one row and with many, and of small ones. Takes half a second or more
/// and some 200 MB of its memory for as long; an opened device that nothing else uses. Error:
/// Memory, Device, Cancelled.
MachineRates measureRates(Device &device, const std::stop_token &stop = {});

} // namespace fireside
