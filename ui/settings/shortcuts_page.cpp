#include "ui/settings/shortcuts_page.h"

#include "ui/style/shortcut_menu.h"

#include <QAction>
#include <QDialog>
#include <QHeaderView>
#include <QRegularExpression>
#include <QSet>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace fireside {

namespace {

// "&Settings…" in a menu, "Settings" in a list.
QString plainText(const QAction &action)
{
    QString text = action.text();
    text.remove(QRegularExpression(QStringLiteral("&(?!&)")));
    text.remove(QRegularExpression(QStringLiteral("(…|\\.\\.\\.)$")));
    return text;
}

bool belongsToDialog(const QObject *object)
{
    for (; object; object = object->parent()) {
        if (qobject_cast<const QDialog *>(object))
            return true;
    }
    return false;
}

QString keysText(const QAction &action)
{
    QStringList keys;
    for (const QKeySequence &sequence : action.shortcuts())
        keys.append(sequence.toString(QKeySequence::NativeText));
    return keys.join(ShortcutsPage::tr(" or "));
}

} // namespace

ShortcutsPage::ShortcutsPage(const QWidget *window, QWidget *parent)
    : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_list = new QTreeWidget(this);
    m_list->setObjectName(QStringLiteral("shortcutList"));
    m_list->setAccessibleName(tr("Shortcuts"));
    m_list->setColumnCount(2);
    m_list->setHeaderLabels({tr("What"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setTabKeyNavigation(false);
    m_list->setStyleSheet(QStringLiteral("QTreeView::item { padding: 4px 2px; border: none; }"));
    layout->addWidget(m_list);

    if (window)
        addWindowActions(*window);
    addRow(tr("Send the message"), QKeySequence(Qt::Key_Return).toString(QKeySequence::NativeText));
    addRow(tr("New line in the message"),
           QKeySequence(Qt::SHIFT | Qt::Key_Return).toString(QKeySequence::NativeText));
    addRow(tr("Edit the last message (in an empty field)"),
           QKeySequence(Qt::Key_Up).toString(QKeySequence::NativeText));
    m_list->resizeColumnToContents(0);
}

void ShortcutsPage::addWindowActions(const QWidget &window)
{
    QSet<QString> seen;
    for (const QAction *action : window.findChildren<QAction *>()) {
        const QString text = plainText(*action);
        if (action->shortcut().isEmpty() || text.isEmpty() || seen.contains(text) ||
            belongsToDialog(action))
            continue;
        seen.insert(text);
        addRow(text, keysText(*action));
    }
}

void ShortcutsPage::addRow(const QString &what, const QString &keys)
{
    auto *item = new QTreeWidgetItem(m_list, {what, leftToRightKeys(keys)});
    item->setData(0, Qt::AccessibleTextRole, QStringLiteral("%1: %2").arg(what, keys));
}

} // namespace fireside
