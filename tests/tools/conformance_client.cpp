// "tools_test --role client URL": what @modelcontextprotocol/conformance starts as the client under
// test. Its variables say which scenario is played, and with what arguments tools are to be called.
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/input_queue.h"
#include "app/tools/mcp/http_transport.h"
#include "auth_browser.h"
#include "tools_fixture.h"

#include <QTemporaryFile>

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

/// Until the program ends; nothing to be written: no file.
QString fileWith(const QString &text)
{
    static QTemporaryFile file;
    if (text.isEmpty() || !file.open())
        return {};
    file.write(text.toUtf8());
    file.close();
    return file.fileName();
}

/// Who the client is, where the scenario gives it an account.
McpAuthConfig accountOf(const QString &scenario)
{
    McpAuthConfig account;
    if (const auto context = parsedJson(qgetenv("MCP_CONFORMANCE_CONTEXT"))) {
        account.clientId = textIn(*context, "client_id");
        account.clientSecret = textIn(*context, "client_secret");
        account.privateKeyFile = fileWith(textIn(*context, "private_key_pem"));
    }
    if (scenario == QLatin1String("auth/basic-cimd")) // the document that this scenario knows
        account.clientId = QStringLiteral("https://conformance-test.local/client-metadata.json");
    account.machine = scenario.startsWith(QLatin1String("auth/client-credentials"));
    return account;
}

/// A user who signs in wherever it is offered, once for each offer.
void signInAtOnce(auth::Authorizer &authorizer, AuthBrowser &browser)
{
    QObject::connect(&authorizer, &auth::Authorizer::browserWanted, &browser, &AuthBrowser::open);
    QObject::connect(&authorizer, &auth::Authorizer::changed, &authorizer, [&authorizer] {
        const auto &offer = authorizer.offer();
        if (!offer || authorizer.isSigningIn() || authorizer.isDeclined())
            return;
        if (!offer->problem.isEmpty())
            std::printf("not signed in: %s\n", qPrintable(offer->problem));
        QMetaObject::invokeMethod(&authorizer,
                                  offer->problem.isEmpty() ? &auth::Authorizer::signIn
                                                           : &auth::Authorizer::decline,
                                  Qt::QueuedConnection);
    });
}

/// Sends forms as they are filled in already.
void answerAtOnce(InputQueue &inputs)
{
    QObject::connect(
        &inputs, &InputQueue::changed, &inputs,
        [&inputs] {
            const auto entry = inputs.first();
            if (!entry)
                return;
            InputAnswer answer{InputAnswer::Accept, ToolJson::object()};
            for (const InputField &field : entry->request.fields) {
                QString problem;
                const auto value = checkedInput(field, field.preset, problem);
                if (value && !value->is_null())
                    answer.content[field.name.toStdString()] = *value;
            }
            inputs.answer(entry->id, answer);
        },
        Qt::QueuedConnection);
}

} // namespace

int runConformanceClient(const QString &url)
{
    Connections connections;
    NetworkGate gate(connections);
    McpServerConfig config{.name = QStringLiteral("conformance")};
    config.url = url;
    config.auth = accountOf(qEnvironmentVariable("MCP_CONFORMANCE_SCENARIO"));
    auth::CredentialKeeper keeper(nullptr);
    auth::Authorizer authorizer(gate, config, keeper);
    AuthBrowser browser;
    signInAtOnce(authorizer, browser);
    SpokenWith server(new mcp::HttpTransport(gate, config, &authorizer), {});
    InputQueue inputs;
    inputs.follow(*server.client);
    answerAtOnce(inputs);
    const bool began = server.begin();
    std::printf("%s %s\n", qPrintable(server.client->version()), qPrintable(server.failure));
    for (const auto &[tool, arguments] : wantedCalls(server.client->tools()))
        std::printf("%s: %s\n", qPrintable(tool), qPrintable(server.text(tool, arguments)));
    return began ? 0 : 1;
}

} // namespace fireside::test
