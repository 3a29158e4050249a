#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// range, namespace, dict, joiner, cycler and what Hugging Face adds: raise_exception,
/// strftime_now.
std::optional<Value> findGlobal(Runtime &rt, const std::string &name);

} // namespace fireside::jinja
