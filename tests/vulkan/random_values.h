#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace fireside::test {

/// Normally distributed numbers, the same for the same seed.
inline std::vector<float> randomValues(std::int64_t count, unsigned seed, float spread = 1,
                                       float mean = 0)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> values(mean, spread);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float &v : out)
        v = values(random);
    return out;
}

} // namespace fireside::test
