#include "ui/style/shortcut_menu.h"

#include <QGuiApplication>
#include <QLabel>
#include <QStyleOptionMenuItem>
#include <QWidgetAction>

namespace fireside {

QString leftToRightKeys(const QString &keys)
{
    constexpr QChar kLeftToRight(0x200e);
    return QGuiApplication::isRightToLeft() ? QString(kLeftToRight + keys + kLeftToRight) : keys;
}

void addMenuHeading(QMenu &menu, const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", "muted");
    label->setContentsMargins(12, 6, 12, 2);
    auto *heading = new QWidgetAction(&menu);
    heading->setDefaultWidget(label);
    heading->setText(text);
    heading->setSeparator(true); // nothing to choose
    menu.addAction(heading);
}

void ShortcutMenu::initStyleOption(QStyleOptionMenuItem *option, const QAction *action) const
{
    QMenu::initStyleOption(option, action);
    const qsizetype tab = option->text.indexOf(QLatin1Char('\t'));
    if (tab >= 0)
        option->text = option->text.left(tab + 1) + leftToRightKeys(option->text.mid(tab + 1));
}

} // namespace fireside
