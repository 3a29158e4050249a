#include "engine/vulkan/platform/op_times.h"

#include <algorithm>
#include <cstring>

namespace fireside::vulkan {

OpTime &timeOf(std::vector<OpTime> &times, const char *op)
{
    const auto found = std::find_if(times.begin(), times.end(), [op](const OpTime &time) {
        return std::strcmp(time.op, op) == 0;
    });
    if (found != times.end())
        return *found;
    OpTime added;
    added.op = op;
    times.push_back(added);
    return times.back();
}

bool OpTimes::timeNext(std::uint64_t name, std::int64_t rows)
{
    constexpr std::size_t kMaxSamples = 256;
    if (name == 0)
        return true;
    if (m_samples.size() > kMaxSamples)
        m_samples.clear();
    const unsigned passes = m_samples[{name, rows}].passes++;
    return passes < kFirst || passes % kEvery == 0;
}

void OpTimes::takeBack(std::uint64_t name, std::int64_t rows)
{
    if (const auto found = m_samples.find({name, rows}); found != m_samples.end())
        --found->second.passes;
}

void OpTimes::add(std::uint64_t name, std::int64_t rows, bool timed, std::vector<OpTime> times)
{
    if (name != 0) {
        Sample &sample = m_samples[{name, rows}];
        if (timed)
            sample.times = times;
        else
            for (OpTime &time : times)
                time.seconds = timeOf(sample.times, time.op).seconds;
    }
    for (const OpTime &time : times) {
        OpTime &sum = timeOf(m_sum, time.op);
        sum.calls += time.calls;
        sum.seconds += time.seconds;
        sum.dispatches += time.dispatches;
    }
}

} // namespace fireside::vulkan
