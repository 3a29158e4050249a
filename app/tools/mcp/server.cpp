#include "app/tools/mcp/server.h"

#include "app/network/network_gate.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/mcp/http_transport.h"
#include "app/tools/mcp/program_transport.h"

#include <QCryptographicHash>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kLinesKept = 100;

/// Of a server as it is configured, and of a tool as it describes itself.
QByteArray fingerprintOf(const McpServerConfig &config, const Tool &tool)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QByteArray &part) {
        hash.addData(QByteArray::number(part.size()) + ':');
        hash.addData(part);
    };
    add(config.url.toUtf8());
    add(config.command.toUtf8());
    for (const QString &argument : config.arguments)
        add(argument.toUtf8());
    add(tool.name.toUtf8());
    add(tool.description.toUtf8());
    add(tool.parameters);
    return hash.result().toHex();
}

} // namespace

McpServer::McpServer(const McpServerConfig &config, NetworkGate *gate,
                     auth::CredentialKeeper *keeper, const Patience &patience, QObject *parent)
    : QObject(parent)
    , m_config(config)
    , m_gate(gate)
    , m_keeper(keeper)
    , m_patience(patience)
{
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &McpServer::launch);
}

McpServer::McpServer(const McpServerConfig &config, NetworkGate *gate,
                     auth::CredentialKeeper *keeper, QObject *parent)
    : McpServer(config, gate, keeper, Patience(), parent)
{}

McpServer::~McpServer()
{
    blockSignals(true);
    drop();
}

QStringList McpServer::problems() const
{
    return m_client ? m_client->problems() : QStringList();
}

QString McpServer::version() const
{
    return m_client ? m_client->version() : QString();
}

QString McpServer::serverName() const
{
    return m_client ? m_client->serverName() : QString();
}

mcp::Client *McpServer::client() const
{
    return m_state.kind == McpServerState::Ready ? m_client : nullptr;
}

void McpServer::drop()
{
    m_pause.stop();
    if (m_client) {
        disconnect(m_client, nullptr, this, nullptr);
        std::exchange(m_client, nullptr)->deleteLater(); // its own signal may have brought us here
    }
    m_tools.clear();
}

void McpServer::setState(McpServerState::Kind kind, const QString &text)
{
    m_state = {kind, text};
    emit changed();
}

void McpServer::start()
{
    drop();
    m_failures = 0;
    m_lines.clear();
    if (m_authorizer)
        m_authorizer->beginAnew();
    launch();
}

void McpServer::stop()
{
    drop();
    setState(McpServerState::Off);
}

void McpServer::launch()
{
    const McpServerConfig config = expanded(m_config, QProcessEnvironment::systemEnvironment());
    if (!config.problem.isEmpty())
        return setState(McpServerState::Failed, config.problem);
    mcp::Transport *transport = nullptr;
    if (!config.isRemote())
        transport = new mcp::ProgramTransport(config, parent());
    else if (!m_gate)
        return setState(McpServerState::Failed, tr("there is no network here"));
    else if (m_gate->offline())
        return setState(McpServerState::Failed, tr("Fireside is offline"));
    else
        transport = new mcp::HttpTransport(*m_gate, config, authorizerFor(config), parent());
    m_client = new mcp::Client(transport, m_config.name, m_patience.client, this);
    connect(m_client, &mcp::Client::ready, this, [this] {
        m_ready.start();
        noteTools();
        setState(McpServerState::Ready);
    });
    connect(m_client, &mcp::Client::toolsChanged, this, [this] {
        noteTools();
        emit changed();
    });
    connect(m_client, &mcp::Client::failed, this, &McpServer::takeFailure);
    connect(m_client, &mcp::Client::said, this, [this](const QString &line) {
        m_lines.append(line);
        if (m_lines.size() > kLinesKept)
            m_lines.removeFirst();
    });
    emit clientMade(m_client);
    setState(McpServerState::Starting);
    m_client->start();
}

/// Made once: what it knows outlives starts. Where the user gives a header of this name, that is
/// what is sent.
auth::Authorizer *McpServer::authorizerFor(const McpServerConfig &expandedConfig)
{
    const bool given = std::any_of(
        expandedConfig.headers.begin(), expandedConfig.headers.end(), [](const auto &header) {
            return header.first.compare(QLatin1String("Authorization"), Qt::CaseInsensitive) == 0;
        });
    if (m_authorizer || !m_keeper || given)
        return m_authorizer;
    m_authorizer = new auth::Authorizer(*m_gate, expandedConfig, *m_keeper, this);
    connect(m_authorizer, &auth::Authorizer::changed, this, &McpServer::noteSignIn);
    connect(m_authorizer, &auth::Authorizer::settled, this, [this](bool again) {
        if (again && !m_client && m_state.kind == McpServerState::SignIn)
            start(); // somebody signed in after all
    });
    return m_authorizer;
}

/// While tools run that need more rights the server stays ready.
void McpServer::noteSignIn()
{
    const auto &offer = m_authorizer->offer();
    const auto kind = m_state.kind;
    if (offer && (kind == McpServerState::Starting || kind == McpServerState::SignIn))
        setState(McpServerState::SignIn, offer->host);
    else if (!offer && kind == McpServerState::SignIn && m_client)
        setState(McpServerState::Starting);
    else
        emit changed();
}

void McpServer::noteTools()
{
    m_tools = m_client->tools();
    for (Tool &tool : m_tools)
        tool.fingerprint = fingerprintOf(m_config, tool);
}

void McpServer::takeFailure(const QString &why)
{
    const bool steady =
        m_state.kind == McpServerState::Ready && m_ready.elapsed() > m_patience.steady.count();
    drop();
    if (m_authorizer && m_authorizer->offer()) // not now, the user says
        return setState(McpServerState::SignIn, m_authorizer->offer()->host);
    if (m_authorizer && !m_authorizer->problem().isEmpty()) // another try gives the same
        return setState(McpServerState::Failed, why);
    m_failures = steady ? 1 : m_failures + 1;
    if (m_failures >= m_patience.tries)
        return setState(McpServerState::Failed,
                        tr("%1. It was tried %2 times.").arg(why).arg(m_failures));
    auto pause = m_patience.firstPause;
    for (int i = 1; i < m_failures; ++i)
        pause = std::min(2 * pause, m_patience.longestPause);
    m_pause.start(pause);
    const auto seconds = static_cast<int>(std::chrono::ceil<std::chrono::seconds>(pause).count());
    setState(McpServerState::Waiting, tr("%1. It starts again after %2 s.").arg(why).arg(seconds));
}

} // namespace fireside
