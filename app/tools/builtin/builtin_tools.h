#pragma once
#include "app/tools/tool.h"

#include <QObject>

#include <functional>
#include <memory>
#include <stop_token>

namespace fireside {

/// The program's own tools: a calculator, the calendar, and reading a chosen folder.
QList<Tool> builtinTools(const QString &folder);

/// Runs one, on a thread of its own; for any thread.
ToolResult runBuiltin(const QString &name, const QByteArray &arguments, const QString &folder,
                      const std::stop_token &stop);

} // namespace fireside
