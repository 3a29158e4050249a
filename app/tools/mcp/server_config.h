#pragma once
#include "app/tools/tool_json.h"

#include <QList>
#include <QPair>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace fireside {

/// How one signs in to a server, where more has to be known than it says itself ("oauth").
struct McpAuthConfig
{
    QString clientId = {}; // that the server has given, or the address of a document about Fireside
    QString clientSecret = {};
    QString privateKeyFile = {}; // PEM, in place of a secret
    QStringList scopes = {};     // empty: as the server says
    int callbackPort = 0;        // the browser comes back to; 0: any
    bool machine = false;        // "grantType": "client_credentials": without a user
    bool operator==(const McpAuthConfig &) const = default;
};

/// A server as mcp.json describes it: a program to be started, or an address.
struct McpServerConfig
{
    QString name; // its key
    bool enabled = true;
    QString command = {};
    QStringList arguments = {};
    QString folder = {}; // to start it in; empty: the user's own
    QList<QPair<QString, QString>> environment = {};
    QString url = {}; // instead of a command
    QList<QPair<QString, QString>> headers = {};
    McpAuthConfig auth = {};
    bool oldStream = false; // "type": "sse", of the protocol of 2024-11-05
    QString problem = {};   // why it cannot be used as it stands
    bool isRemote() const { return !url.isEmpty(); }
    bool operator==(const McpServerConfig &) const = default;
};

/// Reads one entry of "mcpServers".
McpServerConfig readServerConfig(const QString &name, const ToolJson &entry);
/// The entry with what the configuration says; members that are not known here stay.
ToolJson writtenServerConfig(const McpServerConfig &config, ToolJson entry);

/// With ${NAME}, ${env:NAME} and ${NAME:-otherwise} replaced in command, arguments, environment,
/// address, headers and the client's ID and secret by the user's variables. One that is not set
/// becomes the problem.
McpServerConfig expanded(McpServerConfig config, const QProcessEnvironment &variables);

/// What a server's program gets: the few variables that programs need to find their way, and what
/// its entry gives. None of the user's keys and tokens.
QProcessEnvironment serverEnvironment(const McpServerConfig &config,
                                      const QProcessEnvironment &variables);

/// Command line as a person writes it: words, in quotes where they hold spaces; \ before a
/// character takes it as it is.
QStringList splitCommandLine(const QString &line);
QString joinedCommandLine(const QStringList &words);

} // namespace fireside
