#pragma once
#include "engine/backend/commands.h"

#include <vector>

namespace fireside {

/// Passes that a device runs before they are asked for: remembers which batch the next one was run
/// for, so that a request for the same batch can take its result.
class Lookahead
{
public:
    /// A pass over `batch` was done; those that follow it are the same in everything but ids,
    /// positions and lengths. form: what is wanted of them.
    void start(const Batch &batch, const NextIds &next, std::uint64_t form);
    /// The pass last waited for chose these.
    void advance(const ChosenIds &chosen);
    void stop();

    void begun() { ++m_running; }
    void finished() { --m_running; }
    std::int64_t running() const { return m_running; }
    /// Whether the next pass is this one.
    bool isNext(const Batch &batch, const NextIds &next, std::uint64_t form) const;

private:
    struct Row
    {
        const Buffer *keys = nullptr; // of the first layer
        std::int64_t capacity = 0, past = 0;
        std::int32_t position = 0, id = -1;
    };
    std::vector<Row> m_rows;
    std::int64_t m_running = 0;
    std::uint64_t m_form = 0;
    float m_temperature = 0, m_minP = 0, m_topP = 1;
};

} // namespace fireside
