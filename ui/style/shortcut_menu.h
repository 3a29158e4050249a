#pragma once
#include <QMenu>

namespace fireside {

/// Keys read from left to right in every language: without a mark, "Ctrl+," is drawn ",Ctrl+" where
/// the language is not.
QString leftToRightKeys(const QString &keys);

/// What the entries below it are for. A section of Qt's has no text in menus with a style sheet.
void addMenuHeading(QMenu &menu, const QString &text);

/// A menu that draws its keys so.
class ShortcutMenu : public QMenu
{
    Q_OBJECT
public:
    using QMenu::QMenu;

protected:
    void initStyleOption(QStyleOptionMenuItem *option, const QAction *action) const override;
};

} // namespace fireside
