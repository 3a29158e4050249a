#pragma once
#include "engine/tensor/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace fireside::test {

/// What was run of a kernel by way of the emulation of matrices, in a line.
class EmulationReport
{
public:
    /// onDevicesOnly: what the emulation hides.
    EmulationReport(std::string kernel, std::string onDevicesOnly)
        : m_kernel(std::move(kernel))
        , m_onDevicesOnly(std::move(onDevicesOnly))
    {}
    EmulationReport(const EmulationReport &) = delete;
    EmulationReport &operator=(const EmulationReport &) = delete;
    ~EmulationReport()
    {
        std::printf(
            "  %-20s emulated: %2zu types, %3d forms, %3zu pairs of options, at most %.0f %% "
            "of the bound; only a device shows %s\n",
            m_kernel.c_str(), m_types.size(), m_forms, m_pairs.size(), 100 * m_worst,
            m_onDevicesOnly.c_str());
    }
    void met(DType type, const std::vector<std::string> &pairs, double ofBound)
    {
        ++m_forms;
        m_types.insert(type);
        m_pairs.insert(pairs.begin(), pairs.end());
        m_worst = std::max(m_worst, ofBound);
    }
    void expectAll(std::size_t types, const std::vector<std::string> &pairs) const
    {
        EXPECT_EQ(m_types.size(), types) << m_kernel;
        for (const std::string &pair : pairs)
            EXPECT_TRUE(m_pairs.contains(pair)) << m_kernel << ": " << pair;
    }

private:
    std::string m_kernel, m_onDevicesOnly;
    std::set<DType> m_types;
    std::set<std::string> m_pairs;
    int m_forms = 0;
    double m_worst = 0;
};

} // namespace fireside::test
