#pragma once
#include "app/runtime/engine_types.h"

#include <QString>

#include <string_view>

namespace fireside {

/// Why the setting with this key says nothing to the loaded model; empty where it does, and for
/// settings that are not about thinking.
QString thinkingRefusal(std::string_view key, const ThinkingOffer &offer);

} // namespace fireside
