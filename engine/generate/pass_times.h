#pragma once
#include <array>
#include <cstdint>

namespace fireside {

/// How long passes of so many rows take on the devices at hand, as they are measured one by one.
class PassTimes
{
public:
    void add(std::int64_t rows, double seconds);
    void forget() { m_seconds = {}; } // other devices compute now
    /// Seconds of a pass of so many rows, at most: each row costs no more than in a smaller pass,
    /// and all no more than in a larger one. 0: nothing is known.
    double expected(std::int64_t rows) const;
    /// Rows of a pass that has `least` of them anyway, at most `most`: so many that each further
    /// one takes the least time, as far as can be told, and the pass no longer than `seconds`.
    /// `least` where none does.
    std::int64_t rowsWithin(double seconds, std::int64_t least, std::int64_t most) const;

private:
    /// Of passes of 1, 2, 3 to 4, 5 to 8, … rows; 0: none was seen.
    std::array<double, 20> m_seconds{};
};

} // namespace fireside
