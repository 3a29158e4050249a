#pragma once
#include <span>

namespace fireside {

/// The engine's sentences (reasons, checks of devices, errors) as templates of tr() in the context
/// "EngineText": %1 and so on stand for names, numbers and other such sentences. A test compares
/// them with the engine's sources.
std::span<const char *const> engineSentences();

} // namespace fireside
