#pragma once
#include <QAbstractButton>
#include <QByteArray>
#include <QList>
#include <QWidget>

// What the tests press, and where.
namespace fireside::test {

inline constexpr const char *kKeys[] = {
    // what the clipboard has to do with
    "Ctrl+V", "Shift+Ins", "Ctrl+Shift+V", "Ctrl+C", "Ctrl+Ins", "Ctrl+X", "Shift+Del",
    // moving and choosing
    "Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDown", "Ctrl+Home", "Ctrl+End",
    "Ctrl+Left", "Ctrl+Right", "Ctrl+Up", "Ctrl+Down", "Shift+Up", "Shift+Down", "Shift+Left",
    "Shift+Right", "Shift+Home", "Shift+End", "Ctrl+Shift+Home", "Ctrl+Shift+End", "Ctrl+A",
    "Ctrl+V", "Shift+Ins",
    // changing
    "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Y", "Backspace", "Del", "Ctrl+Backspace", "Ctrl+Del", "Ctrl+U",
    "x", "Space", "Shift+Return", "Alt+Return", "Ctrl+Space",
    // leaving and menus
    "Tab", "Shift+Tab", "Esc", "F2", "F3", "F4", "F5", "F10", "Alt", "Menu", "Shift+F10", "Ctrl+F",
    "Ctrl+P", "Ctrl+S", "Ctrl+T", "Ctrl+O", "Ctrl+D", "Ctrl+M", "Ctrl+J", "Ctrl+G", "Ctrl+1",
    "Ctrl++", "Ctrl+-", "Ctrl+0"};

/// What takes the keyboard in a window now, by itself and not for another one.
inline QList<QWidget *> fieldsIn(const QWidget &window, Qt::FocusPolicy by = Qt::TabFocus)
{
    QList<QWidget *> found;
    for (QWidget *widget : window.findChildren<QWidget *>()) {
        if (widget->isVisible() && widget->isEnabled() && widget->window() == &window &&
            (widget->focusPolicy() & by) && !widget->focusProxy())
            found += widget;
    }
    return found;
}

inline QByteArray nameOf(const QWidget &control)
{
    QString name = control.accessibleName();
    if (const auto *button = qobject_cast<const QAbstractButton *>(&control);
        button && name.isEmpty())
        name = button->text();
    return control.metaObject()->className() + QByteArray(" ") + name.toUtf8();
}

} // namespace fireside::test
