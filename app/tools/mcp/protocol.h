#pragma once
#include "app/tools/tool.h"
#include "app/tools/tool_json.h"

#include <QList>
#include <QPair>
#include <QStringList>

#include <optional>

// What goes over the wire: https://modelcontextprotocol.io/specification, of 2026-07-28 and before.
namespace fireside::mcp {

/// Each request says everything about itself.
inline constexpr QLatin1String kModern("2026-07-28");
/// Sessions that begin with "initialize", newest first.
const QStringList &sessionVersions();

enum ErrorCode {
    MethodNotFound = -32601,
    InvalidParams = -32602,
    PageRequired = -32042, // the user has to visit a page first
    HeaderMismatch = -32020,
    MissingCapability = -32021,
    UnsupportedVersion = -32022,
};

/// A message to a server, and what HTTP says of it beside its body.
struct Outgoing
{
    ToolJson body;
    qint64 id = 0; // 0: a notification, or an answer
    QByteArray method = {}, name = {};
    QList<QPair<QByteArray, QByteArray>> parameters = {}; // Mcp-Param-…
};

/// params: an object, or null. capabilities: what servers may ask of us.
Outgoing request(qint64 id, const char *method, ToolJson params, bool modern,
                 const ToolJson &capabilities);
Outgoing notification(const char *method, ToolJson params);
Outgoing initializeRequest(qint64 id, const ToolJson &capabilities);
Outgoing discoverRequest(qint64 id, const ToolJson &capabilities);
/// To a request of the server's.
Outgoing answer(const ToolJson &id, ToolJson result);
Outgoing refusal(const ToolJson &id, ErrorCode code, const QString &why);

struct RpcError
{
    int code = 0;
    QString text;
    ToolJson data;
};

struct Incoming
{
    enum Kind { Result, Error, Request, Notification, Garbage };
    Kind kind = Garbage;
    qint64 id = 0;    // of a Result or Error to one of our requests; else 0
    ToolJson rawId{}; // of a Request
    QString method{}; // of a Request or Notification
    ToolJson value{}; // the result, or the parameters
    RpcError error{};
};
Incoming incoming(const ToolJson &message);

/// The tools of a page of tools/list, without those that cannot be used, which are named in
/// `problems`. overHttp: headers that tools want are checked.
QList<Tool> toolsIn(const ToolJson &result, const QString &server, bool overHttp,
                    QStringList &problems);

/// What a result of tools/call says in words: pictures and sound are named only.
ToolResult resultOf(const ToolJson &value);

/// Of parameters that a tool's schema wants as headers, "x-mcp-header". nullopt: the schema breaks
/// the rules for them.
std::optional<QList<QPair<QByteArray, QStringList>>> headerPlaces(const ToolJson &schema);
QList<QPair<QByteArray, QByteArray>> parameterHeaders(const ToolJson &schema,
                                                      const ToolJson &arguments);
/// As it may stand in a header.
QByteArray headerValue(const std::string &text);

} // namespace fireside::mcp
