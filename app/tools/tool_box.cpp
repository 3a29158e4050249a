#include "app/tools/tool_box.h"

#include "app/network/network_gate.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/auth/sign_out.h"
#include "app/tools/builtin/builtin_tools.h"
#include "engine/core/exception_guard.h"

#include <QDir>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QtConcurrent>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kRereadMs = 400; // editors write a file in several steps

} // namespace

ToolBox::ToolBox(NetworkGate *gate, SecretStore *secrets, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_keeper(secrets)
    , m_tools(builtinTools(m_memory.folder()))
{
    m_reread.setSingleShot(true);
    m_reread.setInterval(kRereadMs);
    connect(&m_reread, &QTimer::timeout, this, [this] {
        if (m_file.read())
            readConfig();
        if (QFileInfo::exists(m_file.path()))
            m_watcher.addPath(m_file.path()); // a new file in the old one's place
    });
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_reread, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_reread,
            qOverload<>(&QTimer::start));
    connect(&m_inputs, &InputQueue::browserWanted, this, &ToolBox::browserWanted);
    connect(&m_keeper, &auth::CredentialKeeper::problemChanged, this, &ToolBox::serversChanged);
    readConfig();
}

ToolBox::~ToolBox()
{
    blockSignals(true);
    for (const Running &running : std::as_const(m_running))
        std::stop_source(running.stop).request_stop();
    qDeleteAll(std::exchange(m_servers, {}));
    // Programs that still end, too, all at once: each gets its signals without waiting for others.
    const auto left = findChildren<mcp::Transport *>(Qt::FindDirectChildrenOnly);
    for (mcp::Transport *transport : left)
        transport->close();
    qDeleteAll(left);
}

void ToolBox::start()
{
    if (std::exchange(m_started, true))
        return;
    const QString folder = QFileInfo(m_file.path()).absolutePath();
    QDir().mkpath(folder);
    m_watcher.addPath(folder);
    if (QFileInfo::exists(m_file.path()))
        m_watcher.addPath(m_file.path());
    if (m_gate) // servers elsewhere come back when there is a network again
        connect(m_gate, &NetworkGate::offlineChanged, this, [this](bool offline) {
            for (McpServer *server : std::as_const(m_servers))
                if (!offline && server->config().isRemote() && server->config().enabled)
                    server->start();
        });
    for (McpServer *server : std::as_const(m_servers))
        if (server->config().enabled)
            server->start();
}

McpServer *ToolBox::server(const QString &name) const
{
    for (McpServer *one : m_servers)
        if (one->config().name == name)
            return one;
    return nullptr;
}

/// Servers whose entries stayed the same run on.
void ToolBox::readConfig()
{
    QList<McpServer *> servers, old = m_servers;
    for (const McpServerConfig &config : m_file.servers()) {
        const auto same = std::find_if(
            old.begin(), old.end(), [&](const McpServer *one) { return one->config() == config; });
        if (same != old.end()) {
            servers.append(*same);
            old.erase(same);
            continue;
        }
        auto *const server = new McpServer(config, m_gate, &m_keeper, this);
        connect(server, &McpServer::changed, this, &ToolBox::noteChange);
        connect(server, &McpServer::clientMade, &m_inputs,
                [this](mcp::Client *client) { m_inputs.follow(*client); });
        servers.append(server);
        if (m_started && config.enabled)
            server->start();
    }
    m_servers = servers;
    for (McpServer *gone : std::as_const(old)) {
        disconnect(gone, nullptr, this, nullptr);
        gone->stop();
        gone->deleteLater();
    }
    noteChange();
}

void ToolBox::noteChange()
{
    QList<Tool> tools = builtinTools(m_memory.folder());
    for (const McpServer *server : std::as_const(m_servers))
        tools += server->tools();
    if (std::exchange(m_tools, tools) != tools)
        emit toolsChanged();
    emit serversChanged();
}

QString ToolBox::putServer(const McpServerConfig &config, const QString &formerName)
{
    const QString problem = m_file.put(config, formerName);
    readConfig();
    return problem;
}

QString ToolBox::removeServer(const QString &name)
{
    const McpServer *const known = server(name);
    if (known && known->authorizer())
        known->authorizer()->signOut();
    else if (known && m_gate && known->config().isRemote()) // it did not run; it may be kept yet
        auth::signOut(*m_gate, m_keeper,
                      expanded(known->config(), QProcessEnvironment::systemEnvironment()).url,
                      name);
    const QString problem = m_file.remove(name);
    readConfig();
    return problem;
}

QString ToolBox::enableServer(const QString &name, bool enabled)
{
    const McpServer *const known = server(name);
    if (!known)
        return tr("there is no server called “%1”").arg(name);
    McpServerConfig config = known->config();
    config.enabled = enabled;
    return putServer(config, name);
}

void ToolBox::restartServer(const QString &name)
{
    if (McpServer *const known = server(name))
        known->start();
}

void ToolBox::signIn(const QString &name)
{
    const McpServer *const known = server(name);
    auth::Authorizer *const authorizer = known ? known->authorizer() : nullptr;
    if (!authorizer)
        return;
    connect(authorizer, &auth::Authorizer::browserWanted, this, &ToolBox::sendBrowser,
            Qt::UniqueConnection);
    authorizer->signIn();
}

void ToolBox::sendBrowser(const QUrl &address)
{
    emit browserWanted(address);
}

void ToolBox::declineSignIn(const QString &name)
{
    const McpServer *const known = server(name);
    if (known && known->authorizer())
        known->authorizer()->decline();
}

void ToolBox::signOut(const QString &name)
{
    McpServer *const known = server(name);
    if (!known || !known->authorizer())
        return;
    known->authorizer()->signOut();
    if (known->config().enabled)
        known->start();
}

QString ToolBox::setFolder(const QString &folder)
{
    const QString problem = m_memory.setFolder(folder);
    noteChange();
    emit memoryChanged();
    return problem;
}

QString ToolBox::allowAlways(const Tool &tool)
{
    const QString problem = m_memory.allow(tool);
    emit memoryChanged();
    return problem;
}

QString ToolBox::forgetAllowed()
{
    const QString problem = m_memory.forgetAllowed();
    emit memoryChanged();
    return problem;
}

QString ToolBox::setNewChats(const QStringList &ids)
{
    const QString problem = m_memory.setNewChats(ids);
    emit memoryChanged();
    return problem;
}

qint64 ToolBox::call(const Tool &tool, const QByteArray &arguments,
                     std::chrono::milliseconds patience, Answered answered, Progressed progressed)
{
    const qint64 id = ++m_calls;
    const auto finish = [this, id, answered = std::move(answered)](const ToolResult &result) {
        if (m_running.remove(id))
            answered(result);
    };
    // Never before this returns: a continuation of what has ended by then runs at once.
    const auto finishLater = [this, finish](const ToolResult &result) {
        QMetaObject::invokeMethod(
            this, [finish, result] { finish(result); }, Qt::QueuedConnection);
    };
    Running running;
    m_running.insert(id, running);
    if (tool.server == kBuiltIn) {
        QtConcurrent::run([name = tool.name, arguments, folder = m_memory.folder(),
                           stop = running.stop.get_token()] {
            ToolResult result;
            containExceptions(
                "tools.builtin", [&] { result = runBuiltin(name, arguments, folder, stop); },
                [&](const Error &error) {
                    result = {ToolResult::Failed, QString::fromUtf8(error.what())};
                });
            return result;
        }).then(this, finishLater);
        return id;
    }
    const McpServer *const known = server(tool.server);
    mcp::Client *const client = known ? known->client() : nullptr;
    if (!client) {
        const QString why = known && !known->state().text.isEmpty() ? known->state().text
                                                                    : tr("its server does not run");
        finishLater({ToolResult::Failed, why});
        return id;
    }
    m_running[id].client = client;
    m_running[id].id = client->call(tool, arguments, patience, finish, std::move(progressed));
    return id;
}

void ToolBox::cancel(qint64 call)
{
    const auto found = m_running.find(call);
    if (found == m_running.end())
        return;
    Running running = *found;
    m_running.erase(found);
    running.stop.request_stop();
    if (running.client)
        running.client->cancel(running.id);
}

} // namespace fireside
