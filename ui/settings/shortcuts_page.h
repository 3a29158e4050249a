#pragma once
#include <QWidget>

class QTreeWidget;

namespace fireside {

/// Every shortcut of the window, read from its actions, so that the list cannot differ from the
/// program.
class ShortcutsPage : public QWidget
{
    Q_OBJECT
public:
    /// window: whose actions are listed; may be nullptr.
    explicit ShortcutsPage(const QWidget *window, QWidget *parent = nullptr);

private:
    void addWindowActions(const QWidget &window);
    void addRow(const QString &what, const QString &keys);

    QTreeWidget *m_list;
};

} // namespace fireside
