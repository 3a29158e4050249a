#include "engine/core/error.h"
#include "engine/model/model.h"

#include <algorithm>

// Passes that a device runs ahead, each with the tokens that the one before chose.
namespace fireside {
namespace {

/// What is wanted of the passes: only the same can follow.
std::uint64_t formOf(const Model::Output &output)
{
    return output.greedy.empty() ? static_cast<std::uint64_t>(output.topK()) : 0;
}

} // namespace

bool Model::goesAhead(const Batch &batch, const Output &output) const
{
    const std::size_t rows = batch.ids.size();
    const auto plain = [&](std::size_t i) {
        return batch.items[i].rows == 1 && !batch.items[i].cache.empty() &&
               output.rows[i] == static_cast<std::int32_t>(i);
    };
    if (output.next == nullptr || m_stages.size() != 1 || !m_stages[0].commands->goesAhead() ||
        rows == 0 || rows > kMaxAheadRows || batch.items.size() != rows ||
        output.rows.size() != rows || !output.logits.empty() ||
        output.greedy.empty() == output.topIds.empty() || output.topK() == 1 ||
        output.topK() > kMaxAheadK || output.topIds.size() > kMaxAheadCandidates)
        return false;
    for (std::size_t i = 0; i < rows; ++i)
        if (!plain(i))
            return false;
    return true;
}

/// The results of the pass last waited for; then the device gets more to do.
void Model::takeChosen(const Output &output) const
{
    Commands &c = *m_stages.front().commands;
    const ChosenIds chosen = c.chosen();
    m_ahead.advance(chosen);
    if (!output.greedy.empty()) {
        std::copy(chosen.chosen.begin(), chosen.chosen.end(), output.greedy.begin());
    } else {
        std::copy(chosen.ids.begin(), chosen.ids.end(), output.topIds.begin());
        std::copy(chosen.logits.begin(), chosen.logits.end(), output.topLogits.begin());
    }
    while (m_ahead.running() < output.maxAhead && c.runAgain())
        m_ahead.begun();
}

bool Model::follow(const Batch &batch, const Output &output, const std::stop_token &stop) const
{
    if (output.next == nullptr || m_ahead.running() == 0 ||
        !m_ahead.isNext(batch, *output.next, formOf(output)))
        return false;
    if (stop.stop_requested())
        throwCancelled();
    try {
        m_stages.front().commands->finishAgain();
        m_ahead.finished();
        takeChosen(output);
    } catch (...) {
        m_ahead.stop();
        throw;
    }
    return true;
}

void Model::startAhead(const Batch &batch, const Output &output) const
{
    m_ahead.start(batch, *output.next, formOf(output));
    takeChosen(output);
}

void Model::settle() const
{
    const std::lock_guard lock(m_pass);
    if (m_ahead.running() > 0)
        m_stages.front().commands->settle();
    m_ahead.stop();
}

} // namespace fireside
