#pragma once
#include "engine/vulkan/platform/recording.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <vector>

namespace fireside::vulkan {

/// Submits the segments of recordings, at most two ahead of the device, and waits for them. One
/// thread at a time.
class PassRunner
{
public:
    explicit PassRunner(Gpu &gpu)
        : m_gpu(gpu)
    {}
    /// A pass begins; nothing may be running.
    void start(Recording &recording, const std::stop_token &stop);
    /// Submits the segments that are recorded and not yet submitted, unless the pass is stopped.
    void submitRecorded();
    /// Waits for what was submitted and adds the ops' times. False when the pass was stopped before
    /// all of it was submitted. `hostClock`: nothing else was done since the submissions, so that
    /// the host's clock tells how long they took.
    bool finish(std::vector<OpTime> &times, bool hostClock);
    /// Waits for what was submitted, and forgets the pass.
    void abandonPass();

    // --- after finish(): passes behind one another, which the host looks at later ---

    /// Submits a recording of one segment without its tables, which the pass before left as they
    /// are needed.
    void submitAgain(Recording &recording);
    std::size_t ahead() const { return m_ahead.size(); }
    /// Waits until shortly before the end of the oldest pass that runs, which takes so many
    /// seconds. False: nothing runs, or that is not known.
    bool untilNearlyDone(double seconds);
    /// Waits for the oldest of them and adds its times. Returns how long it took, 0 when the host
    /// came too late to say.
    double finishAgain(std::vector<OpTime> &times);

private:
    using Clock = std::chrono::steady_clock;
    struct Running
    {
        std::uint64_t value = 0; // of the timeline
        Clock::time_point submitted;
        Recording *recording = nullptr; // of a pass that runs again
    };
    void forgetPass();
    void waitUntilAtMost(std::size_t running);
    void waitFor(const Running &running);

    Gpu &m_gpu;
    Recording *m_recording = nullptr;
    std::stop_token m_stop;
    bool m_stopped = false;
    std::size_t m_submitted = 0; // segments
    std::deque<Running> m_running, m_ahead;
    std::vector<double> m_waited; // seconds each segment took, as the host sees it
    Clock::time_point m_lastDone;
    bool m_sawDone = false; // the host was there when the last one ended
};

} // namespace fireside::vulkan
