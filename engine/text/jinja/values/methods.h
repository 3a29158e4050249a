#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// object.name for the methods of strings, lists, tuples and dicts, bound to the object.
std::optional<Value> findMethod(Runtime &rt, const Value &object, const std::string &name);

/// The table of one type; nullptr when it has no such method.
BuiltinFunction::Function findStringMethod(const std::string &name);
BuiltinFunction::Function findListMethod(const std::string &name);
BuiltinFunction::Function findTupleMethod(const std::string &name);
BuiltinFunction::Function findDictMethod(const std::string &name);

} // namespace fireside::jinja
