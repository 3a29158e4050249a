#include "app/remote/remote_models.h"

#include "app/network/connections.h"
#include "app/remote/remote_texts.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// It may be what is calling.
template <typename Object>
void drop(std::unique_ptr<Object> &object)
{
    if (!object)
        return;
    QObject::disconnect(object.get(), nullptr, nullptr, nullptr);
    object->cancel();
    object.release()->deleteLater();
}

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
    m_reply.reset();
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
                [this, path, key](const ModelListing &listing) {
                    drop(m_loading);
                    take(path, key, listing);
                });
        m_loading->start();
    });
}

void RemoteModels::take(const QString &path, const QByteArray &key, const ModelListing &listing)
{
    const RemotePath parts = parseRemotePath(path);
    const auto server = m_servers.server(parts.server);
    if (!server)
        return failToLoad(path, tr("its server is no longer in the list"), false);
    m_models[parts.server] = {listing, false};
    emit modelsChanged(parts.server);
    OfferedModel model{parts.model, 0, ServerKind::Unknown};
    m_target = {*server, model, key};
    if (!listing.problem.isEmpty())
        return failToLoad(path, listing.problem, listing.unreachable);
    const auto known =
        std::find_if(listing.models.begin(), listing.models.end(),
                     [&](const OfferedModel &one) { return one.name == parts.model; });
    if (known == listing.models.end()) {
        QStringList names;
        for (const OfferedModel &one : listing.models)
            names.append(one.name);
        return failToLoad(
            path,
            tr("%1 has no such model; it has: %2")
                .arg(server->host(),
                     names.isEmpty() ? tr("none") : foreignWords(names.join(QLatin1String(", ")))),
            false);
    }
    m_target.model = *known;
    m_status = statusOf(*server, *known);
    m_found = true;
    emit loaded(m_status);
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
    drop(m_reply);
    drop(m_aside);
    m_asideJob = 0;
    m_waiting = 0;
}

/// Of the model that is loaded.
RefusedParameters &RemoteModels::refused()
{
    return m_refused[m_path];
}

void RemoteModels::reply(const ReplyJob &job)
{
    endAside();
    if (m_found)
        write(job);
    else
        findOutFirst(job);
}

/// When it was loaded nobody answered.
void RemoteModels::findOutFirst(const ReplyJob &job)
{
    m_waiting = job.id;
    m_loading = std::make_unique<ModelQuery>(m_gate, m_target.server, m_target.key);
    connect(m_loading.get(), &ModelQuery::finished, this, [this, job](const ModelListing &listing) {
        drop(m_loading);
        m_waiting = 0;
        if (!listing.problem.isEmpty()) {
            emit replyFailed(job.id, listing.problem, listing.unreachable);
            return;
        }
        for (const OfferedModel &one : listing.models)
            if (one.name == m_target.model.name)
                m_target.model = one;
        m_found = true;
        m_status = statusOf(m_target.server, m_target.model);
        emit changed(m_status);
        write(job);
    });
    m_loading->start();
}

void RemoteModels::write(const ReplyJob &job)
{
    drop(m_reply);
    m_reply = std::make_unique<RemoteReply>(m_gate, m_target, job, refused(), m_patience);
    connectReply(*m_reply, job.id);
    m_reply->start();
}

void RemoteModels::connectReply(RemoteReply &reply, qint64 jobId)
{
    connect(&reply, &RemoteReply::waiting, this, [this](const QString &why) {
        ModelStatus status = m_status;
        if (!why.isEmpty())
            status.reason = why;
        emit changed(status);
    });
    connect(&reply, &RemoteReply::partsChanged, this,
            [this, jobId](const QList<MessagePart> &parts) { emit partsChanged(jobId, parts); });
    connect(&reply, &RemoteReply::textAdded, this,
            [this, jobId](const QString &text, const ReplyStats &stats) {
                emit textAdded(jobId, text, stats);
            });
    connect(&reply, &RemoteReply::contextTrimmed, this,
            [this, jobId](int firstSeen) { emit contextTrimmed(jobId, firstSeen); });
    connect(&reply, &RemoteReply::contextFull, this,
            [this, jobId](const ContextShortage &shortage) { emit contextFull(jobId, shortage); });
    connect(&reply, &RemoteReply::finished, this, [this, jobId](const ReplyStats &stats) {
        drop(m_reply);
        emit changed(m_status);
        emit replyFinished(jobId, stats);
    });
    connect(&reply, &RemoteReply::failed, this, [this, jobId](const RemoteProblem &problem) {
        const bool unreachable = problem.unreachable && !m_reply->wroteAnything();
        drop(m_reply);
        emit changed(m_status);
        emit replyFailed(jobId, problem.text, unreachable);
    });
}

void RemoteModels::stopReply()
{
    if (m_reply) {
        m_reply->stop();
    } else if (const qint64 job = std::exchange(m_waiting, 0); job != 0) {
        drop(m_loading);
        ReplyStats stats;
        stats.finish = QStringLiteral("stopped");
        emit replyFinished(job, stats);
    }
}

void RemoteModels::askAside(const ReplyJob &job)
{
    endAside();
    RemotePatience once = m_patience;
    once.tries = 1;
    m_asideJob = job.id;
    m_aside = std::make_unique<RemoteReply>(m_gate, m_target, job, refused(), once);
    connectAside(*m_aside, job.id);
    m_aside->start();
}

void RemoteModels::connectAside(RemoteReply &reply, qint64 jobId)
{
    struct Answer
    {
        QString text;
        QList<MessagePart> parts;
    };
    const auto answer = std::make_shared<Answer>();
    connect(&reply, &RemoteReply::textAdded, this,
            [answer](const QString &text) { answer->text += text; });
    connect(&reply, &RemoteReply::partsChanged, this,
            [answer](const QList<MessagePart> &parts) { answer->parts = parts; });
    connect(&reply, &RemoteReply::finished, this, [this, jobId, answer](const ReplyStats &stats) {
        AsideAnswer said;
        said.kind =
            stats.finish == QLatin1String("end") ? AsideAnswer::Whole : AsideAnswer::CutShort;
        for (const MessagePart &part : std::as_const(answer->parts))
            if (part.kind == MessagePart::Text)
                said.text += answer->text.mid(part.start, part.length);
        m_asideJob = 0;
        drop(m_aside);
        emit asideAnswered(jobId, said);
    });
    connect(&reply, &RemoteReply::failed, this, [this, jobId](const RemoteProblem &problem) {
        m_asideJob = 0;
        drop(m_aside);
        emit asideAnswered(jobId, {.problem = problem.text});
    });
}

void RemoteModels::endAside()
{
    drop(m_aside);
    if (const qint64 job = std::exchange(m_asideJob, 0); job != 0)
        emit asideAnswered(job, {.kind = AsideAnswer::Interrupted});
}

} // namespace fireside
