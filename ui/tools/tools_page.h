#pragma once
#include <QPointer>
#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;
class QTreeWidget;
class QVBoxLayout;

namespace fireside {

class McpServer;
class ToolBox;

/// Where tools come from: the folder that the built-in ones may read, and the servers of mcp.json
/// with their state, their tools and what they say.
class ToolsPage : public QWidget
{
    Q_OBJECT
public:
    explicit ToolsPage(ToolBox &tools, QWidget *parent = nullptr);

private:
    void addFolder(QVBoxLayout *layout);
    void addServers(QVBoxLayout *layout);
    void addPermissions(QVBoxLayout *layout);
    QLabel *text(const char *role, const char *name = "");
    QPushButton *button(const QString &text, const char *name);
    void showAll();
    void showServer();
    void showAccount(const McpServer *server);
    McpServer *current() const;
    void chooseFolder();
    void edit(const QString &name);
    void removeCurrent();
    void complain(const QString &problem);

    ToolBox &m_tools;
    QLabel *m_folder, *m_problem, *m_state, *m_account, *m_lines, *m_allowed;
    QPushButton *m_noFolder, *m_edit, *m_remove, *m_restart, *m_signIn, *m_signOut, *m_forget;
    QListWidget *m_servers;
    QTreeWidget *m_list;
    QString m_complaint;
    bool m_showing = false;
};

} // namespace fireside
