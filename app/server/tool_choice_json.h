#pragma once
#include "app/server/chat_request.h"

namespace fireside::server {

/// tool_choice and what belongs to it, in the forms of all interfaces. A choice of a tool that the
/// server would have to run itself is reported as ignored.
ToolChoice readChoiceTolerantly(Parameters &p);

} // namespace fireside::server
