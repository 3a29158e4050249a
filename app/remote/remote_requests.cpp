// Replies and questions of RemoteModels. Each is sent with what the settings say at that moment.
#include "app/remote/drop.h"
#include "app/remote/remote_models.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// Whether what the server offers may have changed with these settings. Its name and key do not
/// matter.
bool isSameServer(RemoteServer one, const RemoteServer &other)
{
    one.name = other.name;
    one.key = other.key;
    return one == other;
}

} // namespace

void RemoteModels::reply(const ReplyJob &job)
{
    endAside();
    if (m_model.parallel > 0 && writing() >= m_model.parallel) {
        m_waiting.append(job);
        emit replyWaits(job.id);
        return;
    }
    const auto request = std::make_shared<Request>();
    request->job = job;
    m_replies[job.id] = request;
    begin(request);
}

void RemoteModels::askAside(const ReplyJob &job)
{
    endAside();
    m_aside = std::make_shared<Request>();
    m_aside->job = job;
    m_aside->aside = true;
    begin(m_aside);
}

int RemoteModels::writing() const
{
    return static_cast<int>(m_replies.size());
}

bool RemoteModels::othersWrite(const Request *request) const
{
    return std::any_of(m_replies.begin(), m_replies.end(), [request](const auto &one) {
        const RequestPtr &other = one.second;
        return other.get() != request && other->reply && !other->reply->isQueued();
    });
}

/// The server, and its key, as the settings have them now.
void RemoteModels::begin(const RequestPtr &request)
{
    const std::weak_ptr<Request> weak = request;
    m_servers.fetchKey(parseRemotePath(m_path).server,
                       [this, weak](const QByteArray &key, const QString &problem) {
                           const RequestPtr asked = weak.lock();
                           if (!asked)
                               return; // stopped meanwhile
                           if (problem.isEmpty())
                               send(asked, key);
                           else
                               fail(asked, problem, false);
                       });
}

void RemoteModels::send(const RequestPtr &request, const QByteArray &key)
{
    const auto server = m_servers.server(parseRemotePath(m_path).server);
    if (!server)
        return fail(request,
                    tr("the server of %1 was removed from the list of servers; choose another "
                       "model, or add it again")
                        .arg(m_status.name.isEmpty() ? m_model.name : m_status.name),
                    false);
    if (mustAskFirst(*server))
        askFirst(request, *server, key);
    else
        write(request, *server, key);
}

/// llama.cpp answers with the model that it was started with, whatever it is asked for.
bool RemoteModels::mustAskFirst(const RemoteServer &server) const
{
    return !m_found || !isSameServer(server, m_server) || m_model.kind == ServerKind::LlamaCpp;
}

void RemoteModels::askFirst(const RequestPtr &request, const RemoteServer &server,
                            const QByteArray &key)
{
    request->query = std::make_unique<ModelQuery>(m_gate, server, key);
    connect(
        request->query.get(), &ModelQuery::finished, this,
        [this, weak = std::weak_ptr<Request>(request), server, key](const ModelListing &listing) {
            const RequestPtr asked = weak.lock();
            if (!asked)
                return;
            drop(asked->query);
            const bool known = m_found && isSameServer(server, m_server);
            if (!listing.problem.isEmpty() && !known)
                return fail(asked, listing.problem, listing.unreachable);
            if (listing.problem.isEmpty() && !follow(server, listing))
                return fail(asked, listing.lacks(server.host()), false);
            write(asked, server, key);
        });
    request->query->start();
}

void RemoteModels::write(const RequestPtr &request, const RemoteServer &server,
                         const QByteArray &key)
{
    RemotePatience patience = m_patience;
    if (request->aside)
        patience.tries = 1;
    request->reply = std::make_unique<RemoteReply>(m_gate, RemoteTarget{server, m_model, key},
                                                   request->job, m_refused[m_path], patience);
    if (request->aside) {
        connectAside(request);
    } else {
        request->reply->setOthers([this, raw = request.get()] { return othersWrite(raw); });
        connectReply(request);
    }
    request->reply->start();
}

void RemoteModels::connectReply(const RequestPtr &request)
{
    RemoteReply *const reply = request->reply.get();
    const qint64 jobId = request->job.id;
    const std::weak_ptr<Request> weak = request;
    connect(reply, &RemoteReply::waiting, this, [this](const QString &why) {
        ModelStatus status = m_status;
        if (!why.isEmpty())
            status.reason = why;
        emit changed(status);
    });
    connect(reply, &RemoteReply::queued, this, [this, jobId] { emit replyWaits(jobId); });
    connect(reply, &RemoteReply::partsChanged, this,
            [this, jobId](const QList<MessagePart> &parts) { emit partsChanged(jobId, parts); });
    connect(reply, &RemoteReply::textAdded, this,
            [this, jobId](const QString &text, const ReplyStats &stats) {
                emit textAdded(jobId, text, stats);
            });
    connect(reply, &RemoteReply::contextTrimmed, this,
            [this, jobId](int firstSeen) { emit contextTrimmed(jobId, firstSeen); });
    connect(reply, &RemoteReply::contextFull, this,
            [this, jobId](const ContextShortage &shortage) { emit contextFull(jobId, shortage); });
    connect(reply, &RemoteReply::finished, this, [this, weak](const ReplyStats &stats) {
        const RequestPtr ended = weak.lock();
        if (!ended)
            return;
        end(ended);
        emit changed(m_status);
        emit replyFinished(ended->job.id, stats);
    });
    connect(reply, &RemoteReply::failed, this, [this, weak](const RemoteProblem &problem) {
        const RequestPtr ended = weak.lock();
        if (!ended)
            return;
        const bool unreachable = problem.unreachable && !ended->reply->wroteAnything();
        emit changed(m_status);
        if (problem.modelMissing)
            explainMissing(ended, problem);
        else
            fail(ended, problem.text, unreachable);
    });
}

/// The server may have been restarted with others: which it has.
void RemoteModels::explainMissing(const RequestPtr &request, const RemoteProblem &problem)
{
    drop(request->reply);
    m_found = false;
    const QString id = parseRemotePath(m_path).server;
    m_servers.fetchKey(id, [this, id, problem, weak = std::weak_ptr<Request>(request)](
                               const QByteArray &key, const QString &) {
        const RequestPtr asked = weak.lock();
        const auto server = m_servers.server(id);
        if (!asked)
            return;
        if (!server)
            return fail(asked, problem.text, false);
        asked->query = std::make_unique<ModelQuery>(m_gate, *server, key);
        connect(asked->query.get(), &ModelQuery::finished, this,
                [this, id, weak, problem, host = server->host()](const ModelListing &listing) {
                    const RequestPtr failed = weak.lock();
                    if (!failed)
                        return;
                    const QString model = m_model.name;
                    const bool gone = listing.problem.isEmpty() && !listing.find(model);
                    takeListing(id, listing);
                    fail(failed, gone ? listing.lacks(host) : problem.text, false);
                });
        asked->query->start();
    });
}

void RemoteModels::connectAside(const RequestPtr &request)
{
    RemoteReply *const reply = request->reply.get();
    // The request owns what calls these.
    Request *const raw = request.get();
    connect(reply, &RemoteReply::textAdded, this,
            [raw](const QString &text) { raw->text += text; });
    connect(reply, &RemoteReply::partsChanged, this,
            [raw](const QList<MessagePart> &parts) { raw->parts = parts; });
    connect(reply, &RemoteReply::finished, this, [this](const ReplyStats &stats) {
        const RequestPtr ended = std::exchange(m_aside, nullptr);
        AsideAnswer said;
        said.kind =
            stats.finish == QLatin1String("end") ? AsideAnswer::Whole : AsideAnswer::CutShort;
        for (const MessagePart &part : std::as_const(ended->parts))
            if (part.kind == MessagePart::Text)
                said.text += ended->text.mid(part.start, part.length);
        dropRequest(*ended);
        emit asideAnswered(ended->job.id, said);
    });
    connect(reply, &RemoteReply::failed, this, [this](const RemoteProblem &problem) {
        if (m_aside)
            fail(m_aside, problem.text, false);
    });
}

/// A place is free: for one that the server had no room for, or for one that was not sent yet.
void RemoteModels::end(const RequestPtr &request)
{
    m_replies.erase(request->job.id);
    dropRequest(*request);
    for (const auto &[id, other] : m_replies)
        if (other->reply && other->reply->isQueued())
            return other->reply->askAgain();
    if (m_waiting.isEmpty())
        return;
    // Later, so that everybody has heard of this reply's end before.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_waiting.isEmpty())
                reply(m_waiting.takeFirst());
        },
        Qt::QueuedConnection);
}

void RemoteModels::fail(const RequestPtr &request, const QString &why, bool unreachable)
{
    const RequestPtr kept = request; // which the reference may not
    if (kept->aside) {
        if (m_aside == kept)
            m_aside = nullptr;
        dropRequest(*kept);
        emit asideAnswered(kept->job.id, {.problem = why});
        return;
    }
    end(kept);
    emit replyFailed(kept->job.id, why, unreachable);
}

void RemoteModels::dropRequest(Request &request)
{
    drop(request.query);
    drop(request.reply);
}

void RemoteModels::stopReply(qint64 jobId)
{
    ReplyStats stats;
    stats.finish = QStringLiteral("stopped");
    const QList<ReplyJob> waiting = m_waiting;
    for (const ReplyJob &job : waiting) {
        if (jobId != 0 && job.id != jobId)
            continue;
        m_waiting.removeIf([&job](const ReplyJob &one) { return one.id == job.id; });
        emit replyFinished(job.id, stats);
    }
    const std::map<qint64, RequestPtr> replies = m_replies;
    for (const auto &[id, request] : replies) {
        if (jobId != 0 && id != jobId)
            continue;
        if (request->reply) {
            request->reply->stop();
        } else if (m_replies.count(id) > 0) {
            end(request);
            emit replyFinished(id, stats);
        }
    }
}

void RemoteModels::endAside()
{
    const RequestPtr aside = std::exchange(m_aside, nullptr);
    if (!aside)
        return;
    dropRequest(*aside);
    emit asideAnswered(aside->job.id, {.kind = AsideAnswer::Interrupted});
}

} // namespace fireside
