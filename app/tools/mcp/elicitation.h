#pragma once
#include "app/tools/input_request.h"

namespace fireside::mcp {

/// What servers may ask of the user, as clients announce it.
ToolJson inputCapabilities();

/// The parameters of "elicitation/create". Nothing where it is none that can be shown, with an
/// English clause for the server: it says more than the specification allows, or too much.
std::optional<InputRequest> readInputRequest(const ToolJson &params, const QString &server,
                                             QString &problem);
ToolJson inputResult(const InputAnswer &answer);

} // namespace fireside::mcp
