#pragma once
#include "app/tools/mcp/server.h"

#include <QCoreApplication>

namespace fireside {

inline QString serverStateText(const McpServerState &state)
{
    const auto text = [](const char *what) {
        return QCoreApplication::translate("fireside::ToolServer", what);
    };
    switch (state.kind) {
    case McpServerState::Off:
        return text("off");
    case McpServerState::Starting:
        return text("starts…");
    case McpServerState::Ready:
        return text("ready");
    case McpServerState::Waiting:
    case McpServerState::Failed:
        break;
    }
    return state.text;
}

/// Foreign text, which a tool tip would take for HTML where it looks like it.
inline QString plainToolTip(const QString &text)
{
    return QStringLiteral("<p style='white-space:pre-wrap'>") + text.left(1000).toHtmlEscaped() +
           QStringLiteral("</p>");
}

} // namespace fireside
