#pragma once
#include "engine/text/jinja/values/runtime.h"

#include <string>

namespace fireside::jinja {

/// input|name(args). Throws TemplateError for an unknown name.
Value applyFilter(Runtime &rt, const std::string &name, const Value &input, const Arguments &args);
bool isFilter(const std::string &name);

/// The filters of one file; nullptr when it has no such filter.
BuiltinFunction::Function findTextFilter(const std::string &name);
BuiltinFunction::Function findNumberFilter(const std::string &name);
BuiltinFunction::Function findSequenceFilter(const std::string &name);
BuiltinFunction::Function findSelectionFilter(const std::string &name);

} // namespace fireside::jinja
