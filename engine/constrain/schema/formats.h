#pragma once
#include <string_view>

namespace fireside::constrain {

/// A regular expression of all texts of a format of JSON schemas (draft 2020-12 validation, section
/// 7.3); nullptr: not known.
const char *regexOfFormat(std::string_view format);

} // namespace fireside::constrain
