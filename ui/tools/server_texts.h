#pragma once
#include "app/tools/mcp/server.h"

#include <QCoreApplication>

namespace fireside {

class ToolServerTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::ToolServerTexts)
};

inline QString serverStateText(const McpServerState &state)
{
    switch (state.kind) {
    case McpServerState::Off:
        return ToolServerTexts::tr("off");
    case McpServerState::Starting:
        return ToolServerTexts::tr("starts…");
    case McpServerState::SignIn:
        return ToolServerTexts::tr("wants you to sign in at %1").arg(state.text.left(200));
    case McpServerState::Ready:
        return ToolServerTexts::tr("ready");
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
