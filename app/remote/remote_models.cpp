#include "app/remote/remote_models.h"

#include "app/network/connections.h"
#include "app/remote/drop.h"
#include "app/remote/remote_texts.h"

#include <utility>

namespace fireside {
namespace {

/// Where the words go, and that nothing happens here.
QString reasonOf(const RemoteServer &server)
{
    const QString where = server.address.toString(QUrl::RemovePath);
    return isOpenToOthers(server.address)
               ? RemoteTexts::tr("Answers come from %1; nothing is computed here. What you write "
                                 "goes there without encryption.")
                     .arg(where)
               : RemoteTexts::tr("Answers come from %1; nothing is computed here").arg(where);
}

} // namespace

RemoteModels::RemoteModels(Connections &connections, std::unique_ptr<SecretStore> secrets,
                           RemotePatience patience, QObject *parent)
    : Elsewhere(parent)
    , m_gate(connections)
    , m_servers(std::move(secrets))
    , m_patience(patience)
{
    connect(&m_servers, &RemoteServers::changed, this, [this] {
        m_models.removeIf([this](const auto &one) { return !m_servers.server(one.key()); });
        emit modelsChanged({});
    });
    connect(&m_servers, &RemoteServers::stored, this, [this](const QString &id) {
        if (const auto server = m_servers.server(id)) { // what is being asked is out of date
            m_models[id].asked = false;
            refresh(*server);
        }
    });
}

RemoteModels::~RemoteModels()
{
    // Before the gate that they use.
    m_replies.clear();
    m_aside.reset();
    m_loading.reset();
    m_queries.clear();
}

void RemoteModels::refresh()
{
    for (const RemoteServer &server : m_servers.all())
        refresh(server);
}

void RemoteModels::refresh(const RemoteServer &server)
{
    if (std::exchange(m_models[server.id].asked, true))
        return;
    m_servers.fetchKey(
        server.id, [this, id = server.id](const QByteArray &key, const QString &problem) {
            const auto known = m_servers.server(id);
            if (!known || !problem.isEmpty())
                return takeListing(id, {.models = {}, .problem = problem});
            auto &slot = m_queries[id];
            drop(slot);
            slot = std::make_unique<ModelQuery>(m_gate, *known, key);
            connect(slot.get(), &ModelQuery::finished, this,
                    [this, id](const ModelListing &listing) { takeListing(id, listing); });
            slot->start();
        });
    emit modelsChanged(server.id);
}

void RemoteModels::takeListing(const QString &server, const ModelListing &listing)
{
    if (const auto query = m_queries.find(server); query != m_queries.end()) {
        drop(query->second);
        m_queries.erase(query);
    }
    if (!m_servers.server(server))
        return;
    m_models[server] = {listing, false};
    emit modelsChanged(server);
    if (const auto known = m_servers.server(server);
        m_found && server == parseRemotePath(m_path).server && m_replies.empty())
        follow(*known, listing);
}

ModelQuery *RemoteModels::query(const RemoteServer &server, const QByteArray &key, QObject *parent)
{
    auto *query = new ModelQuery(m_gate, server, key, parent);
    query->start();
    return query;
}

bool RemoteModels::owns(const QString &path) const
{
    return parseRemotePath(path).isRemote();
}

QString RemoteModels::nameOf(const QString &path) const
{
    return shownName(parseRemotePath(path).model);
}

QString RemoteModels::placeOf(const QString &path) const
{
    const auto server = m_servers.server(parseRemotePath(path).server);
    return server ? reasonOf(*server) : tr("Its server is no longer in the list");
}

ModelStatus RemoteModels::statusOf(const RemoteServer &server, const OfferedModel &model) const
{
    ModelStatus status;
    status.path = remotePath(server.id, model.name);
    status.name = shownName(model.name);
    status.backend = QStringLiteral("server");
    const QString kind = fireside::nameOf(model.kind);
    status.device = kind.isEmpty()
                        ? server.address.toString(QUrl::RemovePath)
                        : tr("%1 at %2").arg(kind, server.address.toString(QUrl::RemovePath));
    status.reason = reasonOf(server);
    status.context = status.contextTrained = model.context;
    status.hasTemplate = true;
    status.thinking = offerOf(model.kind);
    return status;
}

void RemoteModels::load(const QString &path)
{
    leave();
    const quint64 ticket = ++m_ticket;
    m_path = path;
    m_found = false;
    const RemotePath parts = parseRemotePath(path);
    const auto server = m_servers.server(parts.server);
    if (!server) {
        QMetaObject::invokeMethod(
            this,
            [this, path, ticket] {
                if (ticket == m_ticket)
                    failToLoad(path, tr("its server is no longer in the list"), false);
            },
            Qt::QueuedConnection);
        return;
    }
    m_servers.fetchKey(parts.server, [this, path, ticket, server = *server](
                                         const QByteArray &key, const QString &problem) {
        if (ticket != m_ticket)
            return;
        if (!problem.isEmpty())
            return failToLoad(path, problem, false);
        m_loading = std::make_unique<ModelQuery>(m_gate, server, key);
        connect(m_loading.get(), &ModelQuery::finished, this,
                [this, path](const ModelListing &listing) {
                    drop(m_loading);
                    take(path, listing);
                });
        m_loading->start();
    });
}

void RemoteModels::take(const QString &path, const ModelListing &listing)
{
    const RemotePath parts = parseRemotePath(path);
    const auto server = m_servers.server(parts.server);
    if (!server)
        return failToLoad(path, tr("its server is no longer in the list"), false);
    m_models[parts.server] = {listing, false};
    emit modelsChanged(parts.server);
    m_server = *server;
    m_model = {parts.model, 0, ServerKind::Unknown};
    if (!listing.problem.isEmpty())
        return failToLoad(path, listing.problem, listing.unreachable);
    const OfferedModel *known = listing.find(parts.model);
    if (!known)
        return failToLoad(path, listing.lacks(server->host()), false);
    setModel(*server, *known);
    emit loaded(m_status);
}

void RemoteModels::setModel(const RemoteServer &server, const OfferedModel &model)
{
    m_server = server;
    m_model = model;
    m_path = remotePath(server.id, model.name);
    m_status = statusOf(server, model);
    m_found = true;
}

/// What the loaded model's server offers now. A server of one model that was restarted with another
/// answers with that, whatever it is asked for. False: the model is not there.
bool RemoteModels::follow(const RemoteServer &server, const ModelListing &listing)
{
    const OfferedModel *known = listing.find(m_model.name);
    if (!known && listing.kind == ServerKind::LlamaCpp && listing.models.size() == 1)
        known = &listing.models.first();
    if (!known)
        return false;
    setModel(server, *known);
    emit changed(m_status);
    return true;
}

void RemoteModels::failToLoad(const QString &path, const QString &why, bool unreachable)
{
    const RemotePath parts = parseRemotePath(path);
    ModelStatus known;
    if (const auto server = m_servers.server(parts.server))
        known = statusOf(*server, {parts.model, 0, ServerKind::Unknown});
    m_status = known;
    emit loadFailed(known, why, unreachable);
}

void RemoteModels::leave()
{
    ++m_ticket;
    drop(m_loading);
    for (const auto &[id, request] : std::exchange(m_replies, {}))
        dropRequest(*request);
    if (const RequestPtr aside = std::exchange(m_aside, nullptr))
        dropRequest(*aside);
    m_waiting.clear();
}

} // namespace fireside
