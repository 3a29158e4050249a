#pragma once
#include "engine/cpu/simd/kernels.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace fireside {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Runs a test once per instruction set this processor has, each with its kernels selected.
class IsaTest : public testing::TestWithParam<Isa>
{
protected:
    void SetUp() override { selectIsa(GetParam()); }
    void TearDown() override { selectIsa(m_usual); }

private:
    const Isa m_usual = selectedIsa();
};

inline std::vector<Isa> availableIsas()
{
    std::vector<Isa> isas;
    for (const VectorKernels *table : availableVectorKernels())
        isas.push_back(table->isa);
    return isas;
}

inline std::string isaTestName(const testing::TestParamInfo<Isa> &info)
{
    return std::string(isaWord(info.param));
}

#define FIRESIDE_EVERY_ISA(suite)                                                                  \
    INSTANTIATE_TEST_SUITE_P(Isa, suite, testing::ValuesIn(availableIsas()), isaTestName)

inline std::vector<float> randomFloats(std::size_t n, unsigned seed, float spread = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> values(n);
    for (float &v : values)
        v = normal(random);
    return values;
}

} // namespace fireside
