#pragma once
#include "app/server/parameters.h"

namespace fireside::server {

/// A tool's or an answer's schema without the parts that cannot be kept, which are reported as
/// ignored at `place`. A schema that is wrong as a whole becomes that of any object.
json keptSchema(const json &schema, const std::string &place);

} // namespace fireside::server
