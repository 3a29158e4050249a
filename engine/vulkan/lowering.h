#pragma once
#include "engine/backend/op.h"
#include "engine/vulkan/pass/recorder.h"

#include <deque>

namespace fireside::vulkan {

/// Turns the ops of a pass into dispatches, a few ops behind what is recorded, so that each can be
/// seen with those that follow it:
///   - two ops that one dispatch does better become one (goTogether() in ops.h);
///   - what an op writes is laid out for the product that reads it next (hintReader());
///   - what only products read is kept in F16 where they would round it all the same.
class Lowering
{
public:
    explicit Lowering(Recorder &recorder)
        : m_recorder(recorder)
    {}

    void add(const Op &op);
    /// All that is left.
    void finish();
    void clear() { m_pending.clear(); }

private:
    struct Pending
    {
        Op op;
        std::size_t scratch; // what was in use when it was recorded: its own scratch begins there
    };
    void lowerFirst();
    bool lowerFirstTwo();
    void lookAhead(std::size_t writer);

    Recorder &m_recorder;
    std::deque<Pending> m_pending;
};

} // namespace fireside::vulkan
