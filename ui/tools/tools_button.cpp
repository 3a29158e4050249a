#include "ui/tools/tools_button.h"

#include "ui/backend/number_text.h"

namespace fireside {

ToolsButton::ToolsButton(QWidget *parent)
    : TextToolButton(parent)
{
    setObjectName(QStringLiteral("chatTools"));
    setToolTip(tr("Tools that the model may call in this chat (Ctrl+T)"));
    setTools(0, 0, -1);
}

void ToolsButton::setTools(int enabled, int missing, int tokens)
{
    QString text = enabled == 0   ? tr("No tools")
                   : enabled == 1 ? tr("1 tool")
                                  : tr("%1 tools").arg(countText(enabled));
    if (enabled > 0 && tokens >= 0)
        text += QStringLiteral(" · ") + tr("%1 tokens").arg(countText(tokens));
    if (missing > 0)
        text += QStringLiteral(" · ") + tr("%1 not there").arg(countText(missing));
    setText(text);
    setAccessibleName(tr("Tools of this chat: %1").arg(text));
}

} // namespace fireside
