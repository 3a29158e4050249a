#include "app/tools/mcp/http_transport.h"

#include "app/network/network_gate.h"
#include "app/tools/auth/addresses.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/auth/challenge.h"

#include <algorithm>
#include <utility>

namespace fireside::mcp {
namespace {

constexpr qint64 kLongestAnswer = 64 << 20; // of one request, streams with their events
constexpr qsizetype kLongestEvent = 16 << 20;
constexpr int kMostResumed = 5; // without an answer
constexpr int kMostRefusals = 5;
constexpr int kResumeMs = 1000, kShortestWaitMs = 100, kLongestWaitMs = 60'000;
using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kForEver = 24h; // calls have a clock of their own

bool isSession(const QString &version)
{
    return sessionVersions().contains(version);
}

} // namespace

HttpTransport::HttpTransport(NetworkGate &gate, const McpServerConfig &config,
                             auth::Authorizer *authorizer, QObject *parent)
    : Transport(parent)
    , m_gate(gate)
    , m_config(config)
    , m_address(config.url, QUrl::StrictMode)
    , m_postAddress(m_address)
    , m_authorizer(authorizer)
{
    if (authorizer)
        connect(authorizer, &auth::Authorizer::settled, this, &HttpTransport::goOn);
    connect(&gate, &NetworkGate::offlineChanged, this, [this](bool offline) {
        if (offline && !m_closed)
            emit broken(tr("Fireside is offline"));
    });
}

HttpTransport::~HttpTransport() = default;

QString HttpTransport::purpose() const
{
    return tr("tools of %1").arg(m_config.name);
}

void HttpTransport::open()
{
    if (m_config.oldStream && !m_oldStream)
        m_oldStream = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (m_closed)
                return;
            if (!m_config.headers.isEmpty() && !auth::isSafe(m_address))
                emit broken(tr("its headers, which may hold keys, are not sent without encryption: "
                               "the address must begin with https"));
            else if (m_oldStream)
                listen({}, 0);
            else
                emit opened();
        },
        Qt::QueuedConnection);
}

bool HttpTransport::useOldStream()
{
    if (std::exchange(m_oldStream, true))
        return false;
    m_runs.clear();
    m_session.clear();
    listen({}, 0);
    return true;
}

QList<QPair<QByteArray, QByteArray>>
HttpTransport::headersFor(const QByteArray &method, const QUrl &url, const Outgoing *message) const
{
    QList<QPair<QByteArray, QByteArray>> headers;
    for (const auto &[name, value] : m_config.headers)
        headers.append({name.toUtf8(), value.toUtf8()});
    const bool modern = m_version == kModern || (message && message->method == "server/discover");
    if (modern)
        headers.append({"MCP-Protocol-Version", QByteArray(kModern.data())});
    else if (!m_version.isEmpty())
        headers.append({"MCP-Protocol-Version", m_version.toLatin1()});
    if (modern && message && message->id != 0) {
        headers.append({"Mcp-Method", message->method});
        if (!message->name.isEmpty())
            headers.append({"Mcp-Name", message->name});
        headers += message->parameters;
    }
    if (!m_session.isEmpty())
        headers.append({"Mcp-Session-Id", m_session});
    if (!auth::isSafe(m_address))
        return headers;
    if (m_authorizer)
        headers += m_authorizer->headersFor(method, url);
    else if (!m_token.isEmpty())
        headers.append({"Authorization", "Bearer " + m_token});
    return headers;
}

void HttpTransport::begin(ExchangeRequest request, Purpose why)
{
    request.purpose = purpose();
    request.mostBytes = kLongestAnswer;
    request.patience = request.firstPatience = kForEver;
    m_runs.push_back(std::make_unique<Run>());
    Run *const run = m_runs.back().get();
    static_cast<Purpose &>(*run) = std::move(why);
    run->token = m_authorizer ? m_authorizer->token() : QByteArray();
    run->exchange = std::make_unique<HttpExchange>(m_gate, std::move(request));
    HttpExchange *const exchange = run->exchange.get();
    connect(exchange, &HttpExchange::headArrived, this,
            [this, run](const QByteArray &type) { takeHead(*run, type); });
    connect(exchange, &HttpExchange::dataArrived, this,
            [this, run](const QByteArray &data) { takeData(*run, data); });
    connect(exchange, &HttpExchange::finished, this, [this, run] { takeEnd(*run); });
    connect(exchange, &HttpExchange::failed, this,
            [this, run](const ExchangeFailure &failure) { takeFailure(*run, failure); });
    exchange->start();
}

/// A message, or a stream of the server's own; that with an id: of the request that it still owes
/// an answer to.
void HttpTransport::begin(Purpose why)
{
    if (m_closed)
        return;
    if (m_authorizer)
        m_token = m_authorizer->isBound() ? QByteArray() : m_authorizer->token();
    ExchangeRequest request;
    if (why.message.body.is_null()) {
        request.url = m_address;
        request.headers = headersFor("GET", request.url, nullptr);
        if (!why.lastId.isEmpty())
            request.headers.append({"Last-Event-ID", why.lastId});
    } else {
        request.url = m_postAddress;
        request.post = true;
        request.body = bytesOf(why.message.body);
        request.headers = headersFor("POST", request.url, &why.message);
    }
    begin(std::move(request), std::move(why));
}

void HttpTransport::send(const Outgoing &message)
{
    begin({message.id, false, message});
}

void HttpTransport::listen(const QByteArray &lastId, qint64 id)
{
    begin({id, id == 0, {}, lastId});
}

void HttpTransport::agree(const QString &version)
{
    m_version = version;
    // Servers with a session tell changes over a stream of their own, if they have one.
    if (isSession(version) && !m_oldStream)
        QMetaObject::invokeMethod(
            this, [this] { listen({}, 0); }, Qt::QueuedConnection);
}

void HttpTransport::takeHead(Run &run, const QByteArray &contentType)
{
    if (m_authorizer && !run.token.isEmpty())
        m_authorizer->succeeded();
    if (m_authorizer)
        m_authorizer->noteNonce(run.exchange->header("DPoP-Nonce"));
    const QByteArray session = run.exchange->header("Mcp-Session-Id");
    const bool printable =
        std::all_of(session.begin(), session.end(), [](char c) { return c > 0x20 && c < 0x7f; });
    if (!session.isEmpty() && m_version.isEmpty() && printable && session.size() <= 1024)
        m_session = session;
    if (contentType.startsWith("text/event-stream"))
        run.events = std::make_unique<EventReader>(kLongestEvent);
}

void HttpTransport::takeData(Run &run, const QByteArray &data)
{
    if (!run.events) {
        if (run.body.size() + data.size() > kLongestEvent)
            return giveUp(run);
        run.body += data;
        return;
    }
    QList<ServerEvent> events;
    run.events->push(data, events);
    const bool tooLong = run.events->tooLong();
    takeEvents(run, events);
    if (tooLong && isAlive(run))
        giveUp(run);
}

bool HttpTransport::isAlive(const Run &run) const
{
    return std::any_of(m_runs.begin(), m_runs.end(),
                       [&run](const auto &one) { return one.get() == &run; });
}

/// Of an answer that does not end, or of a message in it: nothing more is read.
void HttpTransport::giveUp(const Run &run)
{
    const qint64 id = run.id;
    const bool answered = run.answered, listens = run.listens;
    m_resumed.remove(id);
    forget(run);
    if (listens && m_oldStream)
        emit broken(tr("its answer is too long"));
    else if (id != 0 && !answered)
        emit sendFailed(id, {0, tr("its answer is too long")});
}

void HttpTransport::takeEvents(Run &run, const QList<ServerEvent> &events)
{
    if (!events.isEmpty())
        m_resumed.remove(run.id);
    for (const ServerEvent &event : events) {
        if (m_closed || !isAlive(run))
            return; // a listener has ended it
        if (m_oldStream && event.name == "endpoint") {
            const QUrl to = m_address.resolved(QUrl::fromEncoded(event.data.trimmed()));
            if (to.host() != m_address.host() || to.port() != m_address.port() ||
                to.scheme() != m_address.scheme()) {
                emit broken(tr("it wants its messages sent to another server"));
                return;
            }
            m_postAddress = to;
            emit opened();
        } else if (!event.data.isEmpty() && (event.name.isEmpty() || event.name == "message")) {
            takeMessage(run, event.data);
        }
    }
}

void HttpTransport::takeMessage(Run &run, const QByteArray &data)
{
    const auto message = parsedJson(data);
    if (!message) {
        emit said(QString::fromUtf8(data.left(500)));
        return;
    }
    const ToolJson *const id = memberOf(*message, "id");
    if (id && run.id != 0 && *id == run.id && !memberOf(*message, "method"))
        run.answered = true;
    emit received(*message);
}

void HttpTransport::takeEnd(Run &run)
{
    const qint64 id = run.id;
    if (run.events) {
        QList<ServerEvent> events;
        run.events->finish(events);
        const bool tooLong = run.events->tooLong();
        const QByteArray lastId = run.events->lastId();
        const int retry = run.events->retryMs();
        const bool listens = run.listens;
        takeEvents(run, events);
        if (!isAlive(run))
            return;
        const bool answered = run.answered;
        forget(run);
        const int wait = std::clamp(retry < 0 ? kResumeMs : retry, kShortestWaitMs, kLongestWaitMs);
        if (m_oldStream && listens)
            emit broken(tr("its stream has ended"));
        else if (listens)
            resume(0, lastId, wait);
        else if (id != 0 && !answered && !tooLong && !lastId.isEmpty() && isSession(m_version))
            resume(id, lastId, wait);
        else if (id != 0 && !answered)
            emit sendFailed(
                id, {0, tooLong ? tr("its answer is too long") : tr("its answer broke off")});
        return;
    }
    const QByteArray body = run.body;
    const bool expected = id != 0 && !m_oldStream;
    if (!body.trimmed().isEmpty())
        takeMessage(run, body);
    if (!isAlive(run))
        return;
    const bool answered = run.answered;
    forget(run);
    if (expected && !answered)
        emit sendFailed(id, {200, tr("it does not answer as it should")});
}

/// Once more, later, from where a stream ended.
void HttpTransport::resume(qint64 id, const QByteArray &lastId, int afterMs)
{
    if (++m_resumed[id] > kMostResumed) {
        if (id != 0)
            emit sendFailed(id, {0, tr("its answer broke off %1 times").arg(kMostResumed)});
        return;
    }
    QTimer::singleShot(afterMs, Qt::PreciseTimer, this, [this, id, lastId] {
        if (m_resumed.contains(id)) // nobody gave it up meanwhile
            listen(lastId, id);
    });
}

void HttpTransport::takeFailure(Run &run, const ExchangeFailure &failure)
{
    const qint64 id = run.id;
    const bool listens = run.listens;
    SendFailure told{failure.status, failure.text};
    if (failure.kind == ExchangeFailure::Kind::Status) {
        told.text = failure.status == 401 || failure.status == 403
                        ? tr("the server wants to know who asks (HTTP %1): a header with a key "
                             "can be given in its settings")
                              .arg(failure.status)
                        : tr("the server answers with HTTP %1").arg(failure.status);
        if (const auto body = parsedJson(failure.body)) {
            const Incoming answer = incoming(*body);
            told.isError = answer.kind == Incoming::Error;
            told.error = answer.error;
        }
    }
    if (holdBack(run, failure, told))
        return;
    const bool broke = run.events && failure.kind != ExchangeFailure::Kind::Status;
    const QByteArray lastId = run.events ? run.events->lastId() : QByteArray();
    const int retry = run.events ? run.events->retryMs() : -1;
    const bool answered = run.answered;
    forget(run);
    if (failure.kind == ExchangeFailure::Kind::Offline)
        emit broken(failure.text);
    else if (listens && m_oldStream)
        emit broken(told.text);
    else if (broke && isSession(m_version) && !answered && (listens || !lastId.isEmpty()))
        resume(listens ? 0 : id, lastId,
               std::clamp(retry < 0 ? kResumeMs : retry, kShortestWaitMs, kLongestWaitMs));
    else if (id != 0 && !answered)
        emit sendFailed(id, told);
}

/// Until somebody has signed in. False: that is not what it is about.
bool HttpTransport::holdBack(const Run &run, const ExchangeFailure &failure,
                             const SendFailure &told)
{
    if (!m_authorizer || failure.kind != ExchangeFailure::Kind::Status ||
        run.refusals >= kMostRefusals)
        return false;
    const auth::Challenge challenge = auth::readChallenge(failure.challenge);
    const bool forbidden = failure.status == 403 && challenge.bearer &&
                           challenge.error == QLatin1String("insufficient_scope");
    if (failure.status != 401 && !forbidden)
        return false;
    m_authorizer->noteNonce(failure.nonce);
    if (!failure.nonce.isEmpty() && challenge.error == QLatin1String("use_dpop_nonce")) {
        Purpose once = run;
        ++once.refusals;
        forget(run);
        begin(std::move(once));
        return true;
    }
    const QByteArray token = run.token;
    Held held{run, told, challenge.bearer};
    ++held.refusals;
    m_held.push_back(std::move(held));
    forget(run);
    emit waits(true);
    if (m_authorizer)
        m_authorizer->challenged(challenge, token, forbidden);
    return true;
}

void HttpTransport::goOn(bool again, const QString &why)
{
    const std::vector<Held> held = std::exchange(m_held, {});
    if (!held.empty())
        emit waits(false);
    for (const Held &one : held) {
        if (m_closed)
            return;
        SendFailure told = one.told;
        if (one.asksForIt || told.status != 401)
            told = {told.status, why};
        if (again)
            begin(one);
        else if (one.listens && m_oldStream)
            emit broken(told.text);
        else if (one.id != 0)
            emit sendFailed(one.id, told);
    }
}

void HttpTransport::abandon(qint64 id)
{
    m_resumed.remove(id);
    if (id != 0 && std::erase_if(m_held, [id](const Held &one) { return one.id == id; }) > 0 &&
        m_held.empty())
        emit waits(false);
    for (const auto &run : m_runs)
        if (run->id == id && id != 0)
            return forget(*run);
}

/// Its exchange may be what is calling.
void HttpTransport::forget(const Run &run)
{
    const auto found = std::find_if(m_runs.begin(), m_runs.end(),
                                    [&](const auto &one) { return one.get() == &run; });
    if (found == m_runs.end())
        return;
    const std::unique_ptr<Run> gone = std::move(*found);
    m_runs.erase(found);
    disconnect(gone->exchange.get(), nullptr, this, nullptr);
    gone->exchange->cancel();
    gone->exchange.release()->deleteLater();
}

void HttpTransport::close()
{
    if (std::exchange(m_closed, true))
        return;
    disconnect(&m_gate, nullptr, this, nullptr);
    if (m_authorizer)
        disconnect(m_authorizer, nullptr, this, nullptr);
    m_held.clear();
    while (!m_runs.empty())
        forget(*m_runs.back());
    if (m_session.isEmpty() || m_gate.offline()) {
        deleteLater();
        return;
    }
    // The server need not keep the session.
    ExchangeRequest request;
    request.url = m_address;
    request.purpose = purpose();
    request.remove = true;
    request.headers = headersFor("DELETE", request.url, nullptr);
    request.firstPatience = request.patience = 3s;
    auto *const last = new HttpExchange(m_gate, request, this);
    connect(last, &HttpExchange::finished, this, &QObject::deleteLater);
    connect(last, &HttpExchange::failed, this, &QObject::deleteLater);
    last->start();
}

} // namespace fireside::mcp
