#pragma once

namespace fireside {

/// What a processor does at best, per second: no op can be faster.
struct MachineRates
{
    double readBytes = 0;     // from memory, of data that no cache holds
    double byteProducts = 0;  // multiply-adds of bytes
    double floatProducts = 0; // multiply-adds of F32
};

} // namespace fireside
