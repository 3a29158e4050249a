#include "app/tools/mcp/protocol.h"

#include "app/tools/visible_text.h"

#include <QCoreApplication>
#include <QCryptographicHash>

#include <algorithm>
#include <utility>

namespace fireside::mcp {
namespace {

struct ProtocolTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::McpProtocol)
};

constexpr std::size_t kMostToolsOfPage = 2000, kMostBlocks = 1000;
constexpr qsizetype kLongestToolName = 128, kLongestDescription = 20'000;
constexpr qsizetype kLargestSchema = 256 << 10;
constexpr qsizetype kLargestIndented = 64 << 10; // at a depth of 100 spaces would be most of it

ToolJson clientInfo()
{
    const std::string version = QCoreApplication::applicationVersion().toStdString();
    return {
        {"name", "fireside"}, {"title", "Fireside"}, {"version", version.empty() ? "0" : version}};
}

QString tidy(const QString &text, qsizetype longest)
{
    qsizetype end = 0;
    const QString shown = visible(text, longest, end);
    return end < text.size() ? shown + QChar(0x2026) : shown;
}

QString valueText(const ToolJson &value)
{
    const QByteArray bytes = bytesOf(value);
    return QString::fromUtf8(bytes.size() > kLargestIndented ? bytes : bytesOf(value, 2));
}

/// A name that goes through any protocol; what is odd in it is replaced where models are told it.
bool isUsableName(const QString &name)
{
    return !name.isEmpty() && name.size() <= kLongestToolName &&
           std::all_of(name.begin(), name.end(), [](QChar c) { return c.isPrint(); });
}

QString sizeText(const ToolJson &item, const char *key)
{
    const ToolJson *const data = memberOf(item, key);
    const std::size_t letters =
        data && data->is_string() ? data->get_ref<const std::string &>().size() : 0;
    return ProtocolTexts::tr("%1 bytes").arg(letters / 4 * 3);
}

QString resourceText(const ToolJson &resource)
{
    const QString uri = tidy(textIn(resource, "uri"), 500);
    if (const ToolJson *const text = memberOf(resource, "text"); text && text->is_string())
        return QStringLiteral("[%1]\n%2").arg(uri, textIn(resource, "text"));
    return ProtocolTexts::tr("[%1: %2, %3, left out]")
        .arg(uri, tidy(textIn(resource, "mimeType"), 100), sizeText(resource, "blob"));
}

QString contentText(const ToolJson &item)
{
    const QString type = textIn(item, "type");
    if (type == QLatin1String("text"))
        return textIn(item, "text");
    if (type == QLatin1String("resource"))
        return resourceText(memberOf(item, "resource") ? item["resource"] : ToolJson());
    if (type == QLatin1String("resource_link"))
        return QStringLiteral("[%1: %2]")
            .arg(tidy(textIn(item, "name"), 200), tidy(textIn(item, "uri"), 500));
    if (type == QLatin1String("image") || type == QLatin1String("audio"))
        return ProtocolTexts::tr("[%1: %2, %3, left out]")
            .arg(type, tidy(textIn(item, "mimeType"), 100), sizeText(item, "data"));
    return ProtocolTexts::tr("[content of an unknown kind, left out]");
}

} // namespace

const QStringList &sessionVersions()
{
    static const QStringList versions{QStringLiteral("2025-11-25"), QStringLiteral("2025-06-18"),
                                      QStringLiteral("2025-03-26"), QStringLiteral("2024-11-05")};
    return versions;
}

Outgoing request(qint64 id, const char *method, ToolJson params, bool modern,
                 const ToolJson &capabilities)
{
    if (!params.is_object())
        params = ToolJson::object();
    if (modern) {
        ToolJson &meta = params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = kModern.data();
        meta["io.modelcontextprotocol/clientInfo"] = clientInfo();
        meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    }
    Outgoing message{{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}}, id, method};
    if (!params.empty())
        message.body["params"] = std::move(params);
    return message;
}

Outgoing notification(const char *method, ToolJson params)
{
    Outgoing message{{{"jsonrpc", "2.0"}, {"method", method}}, 0, method};
    if (params.is_object() && !params.empty())
        message.body["params"] = std::move(params);
    return message;
}

Outgoing initializeRequest(qint64 id, const ToolJson &capabilities)
{
    return request(id, "initialize",
                   {{"protocolVersion", sessionVersions().first().toStdString()},
                    {"capabilities", capabilities},
                    {"clientInfo", clientInfo()}},
                   false, capabilities);
}

Outgoing discoverRequest(qint64 id, const ToolJson &capabilities)
{
    return request(id, "server/discover", nullptr, true, capabilities);
}

Outgoing answer(const ToolJson &id, ToolJson result)
{
    return {{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}};
}

Outgoing refusal(const ToolJson &id, ErrorCode code, const QString &why)
{
    return {{{"jsonrpc", "2.0"},
             {"id", id},
             {"error", {{"code", int(code)}, {"message", why.toStdString()}}}}};
}

Incoming incoming(const ToolJson &message)
{
    Incoming read;
    if (!message.is_object() || textIn(message, "jsonrpc") != QLatin1String("2.0"))
        return read;
    const ToolJson *const id = memberOf(message, "id");
    read.method = textIn(message, "method");
    if (!read.method.isEmpty()) {
        read.kind = id && !id->is_null() ? Incoming::Request : Incoming::Notification;
        read.rawId = id ? *id : ToolJson();
        if (const ToolJson *const params = memberOf(message, "params"))
            read.value = *params;
        return read;
    }
    if (id && id->is_number_integer())
        read.id = id->get<qint64>();
    if (const ToolJson *const error = memberOf(message, "error"); error && error->is_object()) {
        read.kind = Incoming::Error;
        const ToolJson *const code = memberOf(*error, "code");
        read.error.code = code && code->is_number_integer() ? code->get<int>() : 0;
        read.error.text = tidy(textIn(*error, "message"), 2000);
        if (const ToolJson *const data = memberOf(*error, "data"))
            read.error.data = *data;
    } else if (const ToolJson *const result = memberOf(message, "result")) {
        read.kind = Incoming::Result;
        read.value = *result;
    }
    return read;
}

QList<Tool> toolsIn(const ToolJson &result, const QString &server, bool overHttp,
                    QStringList &problems)
{
    QList<Tool> tools;
    const ToolJson *const list = memberOf(result, "tools");
    if (!list || !list->is_array() || list->size() > kMostToolsOfPage) {
        problems += ProtocolTexts::tr("its list of tools is none");
        return tools;
    }
    for (const ToolJson &one : *list) {
        Tool tool{server, textIn(one, "name")};
        const ToolJson *const schema = memberOf(one, "inputSchema");
        const QString label = tidy(tool.name.isEmpty() ? QStringLiteral("?") : tool.name, 100);
        if (!isUsableName(tool.name) || !schema || !schema->is_object()) {
            problems += ProtocolTexts::tr("the tool “%1” has no usable name or schema").arg(label);
            continue;
        }
        tool.parameters = bytesOf(*schema);
        if (tool.parameters.size() > kLargestSchema) {
            problems += ProtocolTexts::tr("the schema of the tool “%1” is too large (%2 bytes)")
                            .arg(label)
                            .arg(tool.parameters.size());
            continue;
        }
        if (overHttp && !headerPlaces(*schema)) {
            problems += ProtocolTexts::tr("the tool “%1” wants headers that HTTP does not allow")
                            .arg(label);
            continue;
        }
        tool.title = tidy(textIn(one, "title"), 200);
        if (const ToolJson *const notes = memberOf(one, "annotations");
            notes && tool.title.isEmpty())
            tool.title = tidy(textIn(*notes, "title"), 200);
        tool.description = tidy(textIn(one, "description"), kLongestDescription);
        tools.append(tool);
    }
    return tools;
}

ToolResult resultOf(const ToolJson &value)
{
    const QString type = textIn(value, "resultType");
    if (type == QLatin1String("input_required"))
        return {ToolResult::Failed, ProtocolTexts::tr("the server asks for more input, which "
                                                      "Fireside cannot give")};
    const ToolJson *const content = memberOf(value, "content");
    const ToolJson *const structured = memberOf(value, "structuredContent");
    const bool known = type.isEmpty() || type == QLatin1String("complete");
    const bool old = !content && memberOf(value, "toolResult"); // of 2024-10-07
    if (!value.is_object() || !known || (!content && !structured && !old))
        return {ToolResult::Failed, ProtocolTexts::tr("the server's answer is no result")};
    QStringList blocks;
    if (content && content->is_array())
        for (std::size_t i = 0; i < std::min(content->size(), kMostBlocks); ++i)
            blocks += contentText((*content)[i]);
    if (content && content->is_array() && content->size() > kMostBlocks)
        blocks += ProtocolTexts::tr("[%1 more parts, left out]").arg(content->size() - kMostBlocks);
    if (blocks.isEmpty() && structured)
        blocks += valueText(*structured);
    if (old)
        blocks += valueText(value["toolResult"]);
    const ToolJson *const error = memberOf(value, "isError");
    const bool wrong = error && error->is_boolean() && error->get<bool>();
    return {wrong ? ToolResult::ToolError : ToolResult::Done, blocks.join(QStringLiteral("\n\n"))};
}

} // namespace fireside::mcp
