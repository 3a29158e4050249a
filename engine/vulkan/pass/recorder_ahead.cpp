#include "engine/core/error.h"
#include "engine/vulkan/pass/vulkan_recorder.h"

#include <algorithm>
#include <cstring>

// Passes that run behind one another while the host looks at what the earlier ones chose. They are
// the same command buffers, submitted without those that bring the tables.
namespace fireside::vulkan {
namespace {

constexpr double kMaxAhead = 0.05; // seconds of work that a stop waits for
constexpr std::size_t kMaxPasses = 4;

} // namespace

void VulkanRecorder::advances(const op::Advance &op)
{
    if (!m_preparing)
        m_pass->advance = op;
}

/// The recording for the pass with this number; null when there is none yet. It differs from the
/// one before where a cache has doubled, and when times are to be taken.
Pass *VulkanRecorder::passAgain(std::int64_t pass)
{
    PassForm form = m_pass->form;
    form.maxKeys = roundedKeys(m_tables.longest() + pass);
    form.timed = m_times.timeNext(form.name, form.rows);
    Pass *const found = m_passes.find(form);
    // Timestamps are read before the same recording writes them anew.
    const bool read =
        !form.timed || std::find(m_ahead.begin(), m_ahead.end(), found) == m_ahead.end();
    if (found != nullptr && found->recording.segments() == 1 && read)
        return found;
    m_times.takeBack(form.name, form.rows);
    return nullptr;
}

/// Runs the pass once more, as op::Advance left everything, behind what runs already and without
/// waiting. False when it cannot be, or had better not be: a cache or the draws are used up, enough
/// runs already, the form has to be recorded anew.
bool VulkanRecorder::runAgain()
{
    if (!m_pass->complete || !m_pass->replayable || m_pass->form.name == 0 ||
        m_stop.stop_requested())
        return false;
    const std::int64_t pass = m_finished + static_cast<std::int64_t>(m_ahead.size()) + 1;
    if (pass > m_tables.room() || pass >= m_advance.passes())
        return false;
    const Recording &recording = m_pass->recording;
    if (recording.segments() != 1)
        return false;
    const double seconds = m_gpu->throughput.expected(recording.nominal[0], recording.lastSeconds);
    const std::size_t running = m_ahead.size() + 1;
    if (running > kMaxPasses || static_cast<double>(running) * seconds > kMaxAhead)
        return false;
    return guarded(*m_gpu, "a pass", [&] {
        Pass *const next = passAgain(pass);
        if (next == nullptr)
            return false;
        m_runner.submitAgain(next->recording);
        m_ahead.push_back(next);
        return true;
    });
}

bool VulkanRecorder::goesOn() const
{
    return m_goesOn == nullptr || (*m_goesOn)();
}

/// Begins one more pass shortly before the only one that runs should be done, so that the device
/// need not wait until the host has seen that it is.
void VulkanRecorder::goOnLate()
{
    if (m_goesOn != nullptr && m_maxAhead > 0 &&
        m_runner.untilNearlyDone(m_pass->recording.lastSeconds) && goesOn())
        runAgain();
}

/// Waits for the oldest pass ahead.
void VulkanRecorder::takeAhead()
{
    m_takesAhead = false;
    if (m_stop.stop_requested())
        throwCancelled();
    guarded(*m_gpu, "a pass", [&] {
        if (m_ahead.size() == 1)
            goOnLate();
        const Pass &pass = *m_ahead.front();
        m_ahead.pop_front();
        ++m_finished;
        std::vector<OpTime> times;
        const double seconds = m_runner.finishAgain(times);
        if (seconds > 0)
            m_pass->recording.lastSeconds = seconds;
        m_times.add(pass.form.name, pass.form.rows, pass.form.timed, std::move(times));
    });
    goOn();
}

ChosenIds VulkanRecorder::chosen() const
{
    return m_advance.chosen(m_finished, m_pass->form.rows, m_pass->advance->ids.cols);
}

/// The pass that was waited for says which one comes next; as many run as are wanted.
void VulkanRecorder::goOn()
{
    m_lookahead.advance(chosen().chosen);
    while (ahead() < m_maxAhead && goesOn() && runAgain()) {
    }
    m_goesOn = nullptr;
}

/// What the pass that was waited for chose, and from what: its tensors may be those of the next
/// pass by now, the copies in the host's memory are not.
bool VulkanRecorder::readChosen(const Tensor &x, std::span<std::byte> bytes) const
{
    if (m_pass == nullptr || !m_pass->advance)
        return false;
    const op::Advance &op = *m_pass->advance;
    const ChosenIds from = chosen();
    const auto take = [&](const Tensor &tensor, const auto &values) {
        if (x.buffer != tensor.buffer || x.offset != tensor.offset || x.rows != tensor.rows ||
            x.cols != tensor.cols)
            return false;
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return true;
    };
    return take(op.chosen, from.chosen) || take(op.ids, from.ids) ||
           (op.logits && take(*op.logits, from.logits));
}

void VulkanRecorder::settle()
{
    m_lookahead.stop();
    m_takesAhead = false;
    if (!m_ahead.empty() || m_finished > 0)
        m_pass = nullptr; // its tables have gone on
    m_ahead.clear();
    m_finished = 0;
    guarded(*m_gpu, "a pass", [&] { m_runner.abandonPass(); });
}

} // namespace fireside::vulkan
