#pragma once
#include "ui/style/text_tool_button.h"

namespace fireside {

/// How many tools the chat enables, and what they take of each prompt; a click shows them.
class ToolsButton : public TextToolButton
{
    Q_OBJECT
public:
    explicit ToolsButton(QWidget *parent = nullptr);

    /// missing: enabled, but not there now. tokens: −1: not known.
    void setTools(int enabled, int missing, int tokens);
};

} // namespace fireside
