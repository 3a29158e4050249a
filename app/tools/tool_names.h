#pragma once
#include "app/tools/tool.h"

#include <QList>
#include <QPair>

namespace fireside {

/// What models call each tool: 64 letters, digits, _ and - at most, each name once, with the
/// server's before it where two servers have tools of the same name.
QStringList namesForModels(const QList<Tool> &tools);

/// A result as models are told it: at most so many characters, and said where it was cut.
ToolResult capped(ToolResult result, qsizetype most);

} // namespace fireside
