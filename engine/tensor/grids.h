#pragma once
#include <cstdint>

// The tables of the IQ types: which values 8 (IQ3: 4) consecutive elements have together, before
// scale and signs (format facts of the GGML project). A byte for each element, the first one
// lowest.
namespace fireside {

template <typename Entry, int Count>
struct Grid
{
    Entry entry[Count];
};

extern const Grid<std::uint64_t, 2048> kGridIq1;   // value + 1: 0, 1 or 2; of IQ1_S and IQ1_M
extern const Grid<std::uint64_t, 256> kGridIq2Xxs; // 8, 25 or 43
extern const Grid<std::uint64_t, 512> kGridIq2Xs;
extern const Grid<std::uint64_t, 1024> kGridIq2S;
extern const Grid<std::uint32_t, 256> kGridIq3Xxs; // 4, 12 … 52, 62
extern const Grid<std::uint32_t, 512> kGridIq3S;   // 1, 3 … 15

} // namespace fireside
