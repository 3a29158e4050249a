#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// str(value): the value itself when it is a string; "" for undefined.
Value toText(Runtime &rt, const Value &value);
/// repr(value), with the marks of strings inside.
MarkedText represent(Runtime &rt, const Value &value);

struct JsonStyle
{
    bool ensureAscii = false;
    bool sortKeys = false;
    std::optional<std::string> indent; // one level's white space; absent: everything on one line
    std::string itemSeparator = ", ";
    std::string keySeparator = ": ";
};

/// json.dumps(value), as the tojson filter of Hugging Face's chat templates gives it.
MarkedText toJson(Runtime &rt, const Value &value, const JsonStyle &style);

} // namespace fireside::jinja
