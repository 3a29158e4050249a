#pragma once
#include "engine/text/jinja/values/runtime.h"

#include <string>

namespace fireside::jinja {

/// input|name(args). Throws TemplateError for an unknown name.
Value applyFilter(Runtime &rt, const std::string &name, const Value &input, const Arguments &args);
bool isFilter(const std::string &name);

/// The filters of one file.
const BuiltinTable &textFilters();
const BuiltinTable &numberFilters();
const BuiltinTable &sequenceFilters();
const BuiltinTable &selectionFilters();

} // namespace fireside::jinja
