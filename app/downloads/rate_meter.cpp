#include "app/downloads/rate_meter.h"

namespace fireside {
namespace {

constexpr qint64 kWindow = 5000; // ms
constexpr qint64 kApart = 200;
constexpr qint64 kLeast = 400; // a rate of less time than this says little

} // namespace

void RateMeter::add(qint64 milliseconds, qint64 bytes)
{
    if (!m_samples.empty() && bytes < m_samples.back().bytes) // begun anew
        m_samples.clear();
    // The newest moves until it is far enough from the one before.
    if (m_samples.size() > 1 &&
        milliseconds - m_samples[m_samples.size() - 2].milliseconds < kApart)
        m_samples.back() = {milliseconds, bytes};
    else
        m_samples.push_back({milliseconds, bytes});
    while (m_samples.size() > 2 && milliseconds - m_samples[1].milliseconds >= kWindow)
        m_samples.pop_front();
}

double RateMeter::bytesPerSecond() const
{
    if (m_samples.size() < 2)
        return 0;
    const qint64 time = m_samples.back().milliseconds - m_samples.front().milliseconds;
    if (time < kLeast)
        return 0;
    return 1000.0 * static_cast<double>(m_samples.back().bytes - m_samples.front().bytes) /
           static_cast<double>(time);
}

} // namespace fireside
