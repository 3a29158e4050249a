#pragma once
#include "engine/text/jinja/values/runtime.h"

#include <string>

namespace fireside::jinja {

/// `value is name(args)`. Throws TemplateError for an unknown name.
bool applyTest(Runtime &rt, const std::string &name, const Value &value, const Arguments &args);
bool isTest(const std::string &name);

} // namespace fireside::jinja
