#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// object.name for the methods of strings, lists, tuples and dicts, bound to the object.
std::optional<Value> findMethod(Runtime &rt, const Value &object, const std::string &name);

const BuiltinTable &stringMethods();

} // namespace fireside::jinja
