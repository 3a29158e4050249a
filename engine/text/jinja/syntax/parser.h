#pragma once
#include "engine/text/jinja/syntax/ast.h"

#include <string_view>

namespace fireside::jinja {

/// Throws Error(BadInput) with line and column on a syntax error, or when the template nests deeper
/// than 200 levels.
Program parse(std::string_view source);

} // namespace fireside::jinja
