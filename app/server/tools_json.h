#pragma once
#include "app/server/chat_request.h"

// Tools as the interfaces write them: each has its own frame around a name, a description and a
// schema.
namespace fireside::server {

/// The members of a tool, whose schema has this name. The caller ends it with finish().
AskedTool toolOf(Parameters &members, const char *schemaName);
/// The tools of a request in the form of any interface, also of namespaces and custom ones; tools
/// that the server would have to run itself are reported as ignored.
std::vector<AskedTool> readToolsTolerantly(Parameters &parameters);
/// A list of tools, each read by `one`.
std::vector<AskedTool> toolsOf(Parameters &parameters,
                               const std::function<AskedTool(Parameters &)> &one);
/// A call's arguments as a text that holds a JSON object; "" counts as {}. Unless requests are read
/// strictly they pass on as they came.
std::string argumentsOf(Parameters &call, const char *name);

} // namespace fireside::server
