#pragma once
#include "app/tools/tool.h"

#include <QDialog>
#include <QHash>

class QCheckBox;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace fireside {

class ChatController;
class EngineService;

/// Which tools the model may call in the open chat, and what each takes of the context.
class ToolsDialog : public QDialog
{
    Q_OBJECT
public:
    ToolsDialog(ChatController &chat, EngineService &engine, QWidget *parent = nullptr);

signals:
    void serversRequested(); // their settings

private:
    void rebuild();
    QTreeWidgetItem *addGroup(const QString &title, const QString &state);
    void addTool(QTreeWidgetItem *group, const Tool &tool);
    void apply();
    void askForCounts();
    void showTotal();

    ChatController &m_chat;
    EngineService &m_engine;
    QTreeWidget *m_tree;
    QLabel *m_total;
    QCheckBox *m_newChats;
    QStringList m_listed; // ids of the rows, as they were asked for
    QHash<QString, int> m_tokens;
    int m_all = -1;
    bool m_building = false;
};

} // namespace fireside
