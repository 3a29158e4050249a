#include "ui/style/text_tool_button.h"

#include <QStyle>
#include <QStyleOption>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kLeastLetters = 6;

} // namespace

TextToolButton::TextToolButton(QWidget *parent)
    : QToolButton(parent)
{
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize TextToolButton::minimumSizeHint() const
{
    const QSize whole = sizeHint();
    return {std::min(whole.width(), kLeastLetters * fontMetrics().horizontalAdvance(u'm')),
            whole.height()};
}

void TextToolButton::initStyleOption(QStyleOptionToolButton *option) const
{
    QToolButton::initStyleOption(option);
    const QSize bare = fontMetrics().size(Qt::TextShowMnemonic, text());
    const QSize whole = style()->sizeFromContents(QStyle::CT_ToolButton, option, bare, this);
    option->text = fontMetrics().elidedText(text(), Qt::ElideRight,
                                            std::max(0, bare.width() + width() - whole.width()),
                                            Qt::TextShowMnemonic);
}

} // namespace fireside
