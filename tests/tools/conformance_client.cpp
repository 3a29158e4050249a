// "tools_test --role client URL": what @modelcontextprotocol/conformance starts as the client under
// test. Its variables say which scenario is played, and with what arguments tools are to be called.
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/mcp/http_transport.h"
#include "tools_fixture.h"

#include <cstdio>

namespace fireside::test {
namespace {

QByteArray textOf(const ToolJson &value)
{
    return QByteArray::fromStdString(value.dump());
}

/// The calls that the scenario wants: of its context, or each tool once.
QList<std::pair<QString, QByteArray>> wantedCalls(const QList<Tool> &tools)
{
    QList<std::pair<QString, QByteArray>> calls;
    const auto context = parsedJson(qgetenv("MCP_CONFORMANCE_CONTEXT"));
    if (const ToolJson *const wanted = context ? memberOf(*context, "toolCalls") : nullptr) {
        for (const ToolJson &one : *wanted)
            calls.append({textIn(one, "name"), textOf(one.at("arguments"))});
        return calls;
    }
    for (const Tool &tool : tools) {
        ToolJson arguments{{"a", 5}, {"b", 3}};
        if (tool.name == QLatin1String("json_schema_echo")) // it checks what arrived of the schema
            arguments = {{"schema", ToolJson::parse(tools.first().parameters.toStdString())}};
        calls.append({tool.name, textOf(arguments)});
    }
    return calls;
}

} // namespace

int runConformanceClient(const QString &url)
{
    Connections connections;
    NetworkGate gate(connections);
    McpServerConfig config{.name = QStringLiteral("conformance")};
    config.url = url;
    SpokenWith server(new mcp::HttpTransport(gate, config), {});
    const bool began = server.begin();
    std::printf("%s %s\n", qPrintable(server.client->version()), qPrintable(server.failure));
    for (const auto &[tool, arguments] : wantedCalls(server.client->tools()))
        std::printf("%s: %s\n", qPrintable(tool), qPrintable(server.text(tool, arguments)));
    return began ? 0 : 1;
}

} // namespace fireside::test
