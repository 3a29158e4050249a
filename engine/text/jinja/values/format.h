#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// "…%s…" % values: the conversions s r d i u f F e E g G x X o c % with flags, width and
/// precision.
Value formatPercent(Runtime &rt, const StringObject &pattern, const Value &values);

/// "…{}…{name!r:>8.2f}…".format(…): numbered and named fields, .attributes, [items], !s !r and
/// Python's format specification for strings and numbers.
Value formatBraces(Runtime &rt, const StringObject &pattern, const Arguments &args);

} // namespace fireside::jinja
