#pragma once
#include "engine/backend/placement_speed.h"

#include <cstddef>
#include <functional>

namespace fireside {

/// A model whose speed is measured: what it can be asked to do, and a clock.
struct SpeedProbe
{
    std::function<void(std::size_t tokens)> readPrompt; // in an empty chat
    std::function<void()> writeToken;                   // behind the last prompt
    std::function<double()> now;                        // seconds
};

/// The speed that replies reach, in about `seconds`: half for prompts of `longest` tokens, half for
/// single tokens, `most` of them. Passes in which kernels are compiled and pages are read are not
/// counted, and of several the median is taken. Where prompts of that length take too long, their
/// rate follows from the time of two shorter ones: a pass has a fixed part, the reading of the
/// weights, so that of a few tokens each takes much longer.
Speed measureSpeed(const SpeedProbe &probe, std::size_t longest, std::size_t most, double seconds);

} // namespace fireside
