#pragma once
#include "engine/backend/placement_speed.h"
#include "engine/generate/generator.h"

#include <optional>

namespace fireside {

/// How fast the model was in a reply, comparable with what is measured at the start of a chat: of a
/// short chat, undisturbed, with enough tokens, of which the model computed each alone. `prompt` is
/// 0 where too few tokens were read; nullopt: the reply says nothing of its speed.
std::optional<Speed> speedOf(const GenerateResult &result);

} // namespace fireside
