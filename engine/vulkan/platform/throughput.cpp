#include "engine/vulkan/platform/throughput.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr double kDispatch = 2e-6; // seconds of an empty one with its barrier

} // namespace

Throughput::Throughput(Kind kind, double fixed)
    : m_multiplyAdds(kind == Kind::Software     ? 2e9
                     : kind == Kind::Integrated ? 2e11
                                                : 2e12)
    , m_bytes(kind == Kind::Software     ? 4e9
              : kind == Kind::Integrated ? 3e10
                                         : 2e11)
    , m_fixed(fixed > 0)
    , m_factor(m_fixed ? fixed : 1)
{}

double Throughput::nominal(const Work &work) const
{
    return kDispatch + work.multiplyAdds / m_multiplyAdds + work.bytes / m_bytes;
}

void Throughput::learn(double nominalSeconds, double measuredSeconds)
{
    constexpr double kTooShort = 1e-3; // says little about long ones
    if (m_fixed || (nominalSeconds < kTooShort && measuredSeconds < kTooShort))
        return;
    const double found = std::clamp(measuredSeconds / nominalSeconds, 0.02, 200.0);
    const double before = m_factor;
    m_factor = found > before ? found : before + 0.2 * (found - before);
}

double Throughput::expected(double nominalSeconds, double lastSeconds) const
{
    return lastSeconds > 0 && !m_fixed ? lastSeconds : seconds(nominalSeconds);
}

std::int64_t Throughput::rowsPerDispatch(const Work &wholeOp, std::int64_t rows,
                                         std::int64_t multiple) const
{
    const double whole = seconds(nominal(wholeOp));
    if (whole <= kLongest || rows <= multiple)
        return rows;
    const auto fitting = static_cast<std::int64_t>(static_cast<double>(rows) * kLongest / whole);
    return std::min(rows, std::max(multiple, fitting / multiple * multiple));
}

} // namespace fireside::vulkan
