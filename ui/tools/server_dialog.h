#pragma once
#include "app/tools/mcp/server_config.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace fireside {

class ToolBox;

/// One server of mcp.json, to be added or changed.
class ToolServerDialog : public QDialog
{
    Q_OBJECT
public:
    /// formerName: of the server that is changed; empty: a new one.
    ToolServerDialog(ToolBox &tools, const QString &formerName, QWidget *parent = nullptr);

protected:
    void accept() override;

private:
    void show(const McpServerConfig &config);
    McpServerConfig entered(QString &problem) const;
    void showKind();
    void addSignOut();
    void complain(const QString &problem);

    ToolBox &m_tools;
    const QString m_formerName;
    QFormLayout *m_form;
    QLineEdit *m_name, *m_command, *m_folder, *m_url, *m_clientId, *m_clientSecret;
    QComboBox *m_kind;
    QPlainTextEdit *m_environment, *m_headers;
    QCheckBox *m_oldStream;
    QLabel *m_problem;
    McpServerConfig m_before;
};

} // namespace fireside
