#pragma once
#include "app/server/chat_request.h"

// Tools as the interfaces write them: each has its own frame around a name, a description and a
// schema.
namespace fireside::server {

/// The members of a tool, whose schema has this name. The caller ends it with finish().
AskedTool toolOf(Parameters &members, const char *schemaName);
/// A list of tools, each read by `one`.
std::vector<AskedTool> toolsOf(Parameters &parameters,
                               const std::function<AskedTool(Parameters &)> &one);
/// A call's arguments as a text that holds a JSON object; "" counts as {}.
std::string argumentsOf(Parameters &call, const char *name);

} // namespace fireside::server
