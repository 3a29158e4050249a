#pragma once
#include "app/bench/benchmark.h"

#include <filesystem>
#include <stop_token>

namespace fireside {

/// How long a model that gave its memory back takes to go on with a chat, in seconds.
struct Comeback
{
    double weights = 0; // until it is loaded again
    double token = 0;   // and until the next message's first token, the chat taken over or read
    double reading = 0; // of the latter: reading what was not taken over
    int read = 0;       // so many tokens
};

/// Medians over the settings' repetitions, for a chat of the settings' prompt. `model` loads and
/// rests as in the window when nobody uses it.
Comeback measureComeback(const std::filesystem::path &model, const BenchSettings &settings,
                         const std::stop_token &stop = {});

} // namespace fireside
