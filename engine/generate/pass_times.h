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
    /// Seconds of a pass of so many rows: as far between those of a smaller and a larger one as its
    /// rows are; without a larger one each row costs as in a smaller one. 0: nothing is known.
    double expected(std::int64_t rows) const;
    /// Rows of a pass that has `least` of them anyway, of replies that generate, among `all` that
    /// will once their prompts are read; at most `most`. So many that each further one takes the
    /// least time, as far as can be told, and the pass no longer than `seconds`. `least` where none
    /// does.
    std::int64_t rowsWithin(double seconds, std::int64_t least, std::int64_t all,
                            std::int64_t most) const;

private:
    /// Of passes of 1, 2, 3 to 4, 5 to 8, … rows; 0: none was seen.
    std::array<double, 20> m_seconds{};
};

} // namespace fireside
