#pragma once

namespace fireside {

/// What a processor does, per second: at best, where no op can be faster, or in its own kernels.
struct MachineRates
{
    double readBytes = 0;     // from memory, of data that no cache holds
    double readFloats = 0;    // bytes of weights of F16, where they come at another rate; 0: as all
    double byteProducts = 0;  // multiply-adds of bytes
    double floatProducts = 0; // multiply-adds of F32
    double opSeconds = 0;     // that an op takes at least
};

} // namespace fireside
