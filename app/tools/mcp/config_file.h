#pragma once
#include "app/tools/mcp/server_config.h"

#include <QList>
#include <QString>

#include <functional>

namespace fireside {

/// mcp.json in the program's folder of settings, as many programs write it: {"mcpServers": {NAME:
/// {"command": …, "args": […], "env": {…}} or {"url": …, "headers": {…}}}}, also as "servers", and
/// with comments. What is not known here stays as it is when the file is changed. It may hold keys:
/// only its owner may read it.
class McpConfigFile
{
public:
    explicit McpConfigFile(const QString &path = defaultPath());
    static QString defaultPath(); // $XDG_CONFIG_HOME/fireside/mcp.json

    const QString &path() const { return m_path; }
    const QList<McpServerConfig> &servers() const { return m_servers; }
    /// Why the file cannot be used; empty: it can, or there is none.
    const QString &problem() const { return m_problem; }

    /// Reads it again; true when something differs from before.
    bool read();
    /// Each returns why nothing was changed; empty: it was.
    QString put(const McpServerConfig &server, const QString &formerName);
    QString remove(const QString &name);

private:
    QString change(const std::function<void(ToolJson &servers)> &edit);

    QString m_path;
    QByteArray m_content;
    QList<McpServerConfig> m_servers;
    QString m_problem;
};

} // namespace fireside
