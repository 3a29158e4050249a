#pragma once
#include <QtGlobal>

#include <deque>

namespace fireside {

/// Bytes a second over the last seconds, from how much there was at which time.
class RateMeter
{
public:
    void add(qint64 milliseconds, qint64 bytes);
    void clear() { m_samples.clear(); }
    double bytesPerSecond() const; // 0: nothing can be said yet

private:
    struct Sample
    {
        qint64 milliseconds, bytes;
    };
    std::deque<Sample> m_samples;
};

} // namespace fireside
