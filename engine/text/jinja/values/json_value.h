#pragma once
#include "engine/text/jinja/values/runtime.h"

#include <nlohmann/json_fwd.hpp>

namespace fireside::jinja {

/// A JSON value as a template value; `untrusted` marks every string in it, keys included.
Value valueOfJson(Runtime &rt, const nlohmann::ordered_json &json, bool untrusted);

} // namespace fireside::jinja
