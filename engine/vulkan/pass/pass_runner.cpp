#include "engine/vulkan/pass/pass_runner.h"

#include <algorithm>
#include <array>

namespace fireside::vulkan {

void PassRunner::start(Recording &recording, const std::stop_token &stop)
{
    abandonPass();
    m_recording = &recording;
    m_stop = stop;
}

void PassRunner::submitRecorded()
{
    while (m_submitted < m_recording->segments()) {
        const std::function<void()> *const hostWork = m_recording->hostWork(m_submitted);
        waitUntilAtMost(hostWork != nullptr ? 0 : 1);
        if (m_stopped || m_stop.stop_requested()) {
            m_stopped = true;
            return;
        }
        if (hostWork != nullptr)
            (*hostWork)();
        const std::array<VkCommandBuffer, 2> buffers{m_recording->tables(),
                                                     m_recording->segment(m_submitted)};
        const std::span<const VkCommandBuffer> all(buffers);
        const Clock::time_point now = Clock::now();
        m_running.push_back({m_gpu.device.submit(m_submitted == 0 ? all : all.subspan(1)), now});
        ++m_submitted;
    }
}

void PassRunner::waitUntilAtMost(std::size_t running)
{
    while (m_running.size() > running) {
        const Running first = m_running.front();
        waitFor(first); // an error leaves it to abandonPass(): it may still run
        m_running.pop_front();
        const Clock::time_point now = Clock::now();
        const Clock::time_point from = std::max(first.submitted, m_lastDone);
        m_waited.push_back(std::chrono::duration<double>(now - from).count());
        m_lastDone = now;
    }
}

/// The system wakes a waiting thread tens of microseconds late, which a short pass would feel. When
/// it is known how long the pass takes, the end of it is waited for without sleeping; so are parts
/// between which the host works, which are short.
void PassRunner::waitFor(const Running &running)
{
    using std::chrono::microseconds;
    const bool wakes = m_recording != nullptr && !m_gpu.capabilities.software;
    const double expected = wakes ? m_recording->lastSeconds : 0;
    constexpr double kShort = 0.02; // seconds; of longer ones it is a trifle
    if (wakes && m_recording->hasHostWork()) {
        const Clock::time_point end = Clock::now() + microseconds(2000);
        while (Clock::now() < end)
            if (m_gpu.device.done(running.value))
                return;
    }
    if (expected > 0 && expected < kShort) {
        const auto usual = microseconds(static_cast<std::int64_t>(expected * 1e6));
        const auto asleep = usual - usual / 8 - microseconds(100);
        if (asleep > microseconds(100) && m_gpu.device.doneWithin(running.value, asleep))
            return;
        const Clock::time_point end = Clock::now() + usual / 4 + microseconds(200);
        while (Clock::now() < end)
            if (m_gpu.device.done(running.value))
                return;
    }
    m_gpu.device.wait(running.value, m_gpu.timeout());
}

bool PassRunner::finish(std::vector<OpTime> &times, bool hostClock)
{
    waitUntilAtMost(0);
    const std::vector<double> took = m_recording->clock().collect(m_submitted, times);
    for (std::size_t i = 0; i < m_submitted; ++i)
        if (took[i] > 0 || hostClock)
            m_gpu.throughput.learn(m_recording->nominal[i], took[i] > 0 ? took[i] : m_waited[i]);
    const bool all = m_submitted == m_recording->segments() && !m_stopped;
    m_recording->lastSeconds = all && hostClock && m_submitted == 1 ? m_waited[0] : 0;
    forgetPass();
    return all;
}

void PassRunner::submitAgain(Recording &recording)
{
    const VkCommandBuffer commands = recording.segment(0);
    const Clock::time_point now = Clock::now();
    if (m_ahead.empty()) // the pass before has just been waited for, or is about to
        m_sawDone = true;
    m_ahead.push_back({m_gpu.device.submit({&commands, 1}), now, &recording});
}

bool PassRunner::untilNearlyDone(double seconds)
{
    constexpr std::chrono::microseconds kTimeToSubmit{300}; // waking up included
    const std::deque<Running> &running = m_running.empty() ? m_ahead : m_running;
    if (running.empty() || seconds <= 0)
        return false;
    const Running &first = running.front();
    const auto end =
        std::max(first.submitted, m_lastDone) +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)) -
        kTimeToSubmit;
    if (const auto now = Clock::now(); now < end)
        m_gpu.device.doneWithin(first.value, end - now);
    return true;
}

double PassRunner::finishAgain(std::vector<OpTime> &times)
{
    const Running first = m_ahead.front();
    // The others go on meanwhile, so it does not matter when this thread wakes.
    const bool early = !m_gpu.device.done(first.value);
    m_gpu.device.wait(first.value, m_gpu.timeout());
    m_ahead.pop_front(); // not before: after an error abandonPass() waits for it
    const Clock::time_point now = Clock::now();
    const std::vector<double> took = first.recording->clock().collect(1, times);
    if (took[0] > 0)
        m_gpu.throughput.learn(first.recording->nominal[0], took[0]);
    const double seconds =
        early && m_sawDone
            ? std::chrono::duration<double>(now - std::max(first.submitted, m_lastDone)).count()
            : 0;
    m_lastDone = now;
    m_sawDone = early;
    return seconds;
}

void PassRunner::abandonPass()
{
    try {
        waitUntilAtMost(0);
        if (!m_ahead.empty())
            m_gpu.device.wait(m_ahead.back().value, m_gpu.timeout());
        m_ahead.clear();
    } catch (...) {
        m_running.clear(); // the device is lost or hangs: no later wait can help
        m_ahead.clear();
        throw;
    }
    forgetPass();
}

void PassRunner::forgetPass()
{
    m_recording = nullptr;
    m_submitted = 0;
    m_stopped = false;
    m_waited.clear();
}

} // namespace fireside::vulkan
