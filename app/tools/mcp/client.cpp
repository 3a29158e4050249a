#include "app/tools/mcp/client.h"

#include "app/tools/visible_text.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace fireside::mcp {
namespace {

constexpr int kMostPages = 100;
constexpr qsizetype kMostTools = 1000;
constexpr int kRelistMs = 200; // changes that come in flocks are asked for once

} // namespace

Client::Client(Transport *transport, const QString &server, const ClientLimits &limits,
               QObject *parent)
    : QObject(parent)
    , m_transport(transport)
    , m_server(server)
    , m_limits(limits)
{
    for (QTimer *timer : {&m_probeClock, &m_startClock, &m_relist})
        timer->setSingleShot(true);
    m_relist.setInterval(kRelistMs);
    connect(&m_probeClock, &QTimer::timeout, this, &Client::begin);
    connect(&m_startClock, &QTimer::timeout, this, [this] {
        fail(m_state == State::Listing || m_state == State::Ready
                 ? tr("it does not say which tools it has")
                 : tr("it does not answer"));
    });
    connect(&m_relist, &QTimer::timeout, this, [this] {
        if (m_state == State::Ready && m_list == 0)
            list();
        else if (m_state == State::Ready)
            m_relist.start();
    });
    connect(transport, &Transport::opened, this, &Client::probe);
    connect(transport, &Transport::received, this, &Client::receive);
    connect(transport, &Transport::sendFailed, this, &Client::takeFailure);
    connect(transport, &Transport::broken, this, &Client::fail);
    connect(transport, &Transport::said, this, &Client::said);
    connect(transport, &Transport::waits, this, [this](bool waits) {
        m_waits = waits;
        updatePause();
    });
}

Client::~Client()
{
    if (m_transport) {
        disconnect(m_transport, nullptr, this, nullptr);
        m_transport->close();
    }
}

void Client::start()
{
    startClock(m_startClock, m_limits.start);
    m_transport->open();
}

qint64 Client::send(const char *method, ToolJson params)
{
    const qint64 id = ++m_lastId;
    m_transport->send(request(id, method, std::move(params), m_modern, capabilities()));
    return id;
}

void Client::probe()
{
    if (m_state == State::Idle)
        probeOnce();
}

void Client::probeOnce()
{
    m_state = State::Probing;
    m_probe = ++m_lastId;
    startClock(m_probeClock, m_limits.probe);
    m_transport->send(discoverRequest(m_probe, capabilities()));
}

/// A session as servers before 2026-07-28 have it. The answer to the probe may still come.
void Client::begin()
{
    stopClock(m_probeClock);
    if (m_state != State::Probing)
        return;
    m_state = State::Beginning;
    m_begin = ++m_lastId;
    m_transport->send(initializeRequest(m_begin, capabilities()));
}

void Client::agree(const QString &version, bool modern, const ToolJson &about)
{
    stopClock(m_probeClock);
    m_modern = modern;
    m_version = version;
    m_serverName = textIn(about, "name").left(200);
    m_transport->agree(version);
    m_probe = m_begin = 0;
}

void Client::afterDiscovery(const ToolJson &result)
{
    const ToolJson *const versions = memberOf(result, "supportedVersions");
    if (!versions || !versions->is_array()) // an older server that answers anything
        return begin();
    if (std::none_of(versions->begin(), versions->end(),
                     [](const ToolJson &one) { return one == kModern.data(); })) {
        if (!agreeOnOneOf(*versions))
            fail(tr("it speaks only versions of the protocol that Fireside does not know"));
        return;
    }
    const ToolJson *const meta = memberOf(result, "_meta");
    const ToolJson *const about =
        meta ? memberOf(*meta, "io.modelcontextprotocol/serverInfo") : nullptr;
    agree(kModern, true, about ? *about : ToolJson());
    const ToolJson *const can = memberOf(result, "capabilities");
    const ToolJson *const tools = can ? memberOf(*can, "tools") : nullptr;
    const ToolJson *const tells = tools ? memberOf(*tools, "listChanged") : nullptr;
    m_canTell = tells && *tells == true;
    m_state = State::Listing;
    if (tools)
        list();
    else
        finishList();
}

/// False: none that is known here.
bool Client::agreeOnOneOf(const ToolJson &versions)
{
    const bool session =
        versions.is_array() && std::any_of(versions.begin(), versions.end(), [](const auto &one) {
            return one.is_string() && sessionVersions().contains(
                                          QString::fromStdString(one.template get<std::string>()));
        });
    if (session)
        begin();
    return session;
}

void Client::afterBeginning(const ToolJson &result)
{
    const QString version = textIn(result, "protocolVersion");
    if (!sessionVersions().contains(version))
        return fail(tr("it speaks version “%1” of the protocol, which Fireside does not know")
                        .arg(version.left(50)));
    const ToolJson *const about = memberOf(result, "serverInfo");
    agree(version, false, about ? *about : ToolJson());
    m_transport->send(notification("notifications/initialized", nullptr));
    m_state = State::Listing;
    const ToolJson *const can = memberOf(result, "capabilities");
    if (can && memberOf(*can, "tools"))
        list();
    else
        finishList();
}

void Client::list(const QString &cursor)
{
    if (cursor.isEmpty()) {
        m_found.clear();
        m_foundProblems.clear();
        m_pages = 0;
        if (m_state == State::Ready)
            startClock(m_startClock, m_limits.list);
    }
    m_cursor = cursor;
    m_list = send("tools/list",
                  cursor.isEmpty() ? ToolJson() : ToolJson{{"cursor", cursor.toStdString()}});
}

void Client::takePage(const ToolJson &result)
{
    m_found += toolsIn(result, m_server, m_transport->isRemote(), m_foundProblems);
    const QString next = textIn(result, "nextCursor");
    if (!next.isEmpty() && next != m_cursor && ++m_pages < kMostPages &&
        m_found.size() < kMostTools)
        return list(next);
    if (!next.isEmpty())
        m_foundProblems += tr("its list of tools does not end; the first %1 are used")
                               .arg(std::min(m_found.size(), kMostTools));
    finishList();
}

void Client::finishList()
{
    m_list = 0;
    stopClock(m_startClock);
    QSet<QString> names;
    QList<Tool> tools;
    for (const Tool &tool : std::as_const(m_found)) {
        if (names.contains(tool.name))
            m_foundProblems += tr("there are two tools called “%1”").arg(tool.name.left(100));
        else if (tools.size() < kMostTools)
            tools.append(tool);
        names.insert(tool.name);
    }
    const bool first = std::exchange(m_state, State::Ready) != State::Ready;
    const bool changed = m_tools != tools || m_problems != m_foundProblems;
    m_tools = tools;
    m_problems = m_foundProblems;
    if (first) {
        subscribe();
        emit ready();
    } else if (changed) {
        emit toolsChanged();
    }
}

/// Servers of today tell changes only to those who ask.
void Client::subscribe()
{
    if (m_modern && m_canTell)
        m_listen = send("subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}});
}

void Client::receive(const ToolJson &message)
{
    constexpr std::size_t kLargestBatch = 1000;
    if (!message.is_array())
        return takeOne(message);
    for (std::size_t i = 0; i < std::min(message.size(), kLargestBatch); ++i)
        takeOne(message[i]); // 2025-03-26 has batches
}

void Client::takeOne(const ToolJson &message)
{
    if (m_state == State::Over)
        return;
    const Incoming read = incoming(message);
    switch (read.kind) {
    case Incoming::Result:
        takeResult(read.id, read.value);
        break;
    case Incoming::Error:
        takeError(read.id, read.error);
        break;
    case Incoming::Request:
        takeRequest(read);
        break;
    case Incoming::Notification:
        takeNotification(read.method, read.value);
        break;
    case Incoming::Garbage:
        break;
    }
}

void Client::takeResult(qint64 id, const ToolJson &value)
{
    if (id == 0)
        return;
    if (id == m_probe && (m_state == State::Probing || m_state == State::Beginning)) {
        m_probe = 0;
        const ToolJson *const versions = memberOf(value, "supportedVersions");
        if (m_state == State::Beginning && !versions)
            return;
        m_state = State::Probing; // late, but it speaks as today
        afterDiscovery(value);
    } else if (id == m_begin && m_state == State::Beginning) {
        afterBeginning(value);
    } else if (id == m_list) {
        takePage(value);
    } else if (id == m_listen) {
        m_listen = 0; // it will not tell any more
    } else {
        resultOfCall(id, value);
    }
}

QString Client::words(const RpcError &error)
{
    return tr("%1 (error %2)").arg(error.text.simplified().left(1000)).arg(error.code);
}

void Client::takeError(qint64 id, const RpcError &error)
{
    if (id != 0 && id == m_probe) {
        m_probe = 0;
        if (m_state != State::Probing)
            return;
        const ToolJson *const versions = memberOf(error.data, "supported");
        const bool knows =
            versions && versions->is_array() &&
            std::find(versions->begin(), versions->end(), kModern.data()) != versions->end();
        if (error.code != UnsupportedVersion)
            begin();
        else if (knows && !std::exchange(m_probedTwice, true))
            probeOnce(); // it names what it was asked in
        else if (!versions || !agreeOnOneOf(*versions))
            fail(tr("it speaks only versions of the protocol that Fireside does not know"));
    } else if (id != 0 && id == m_begin && m_state == State::Beginning) {
        if (m_probe == 0) // nothing else can come
            fail(tr("it refuses to begin: %1").arg(words(error)));
    } else if (id != 0 && id == m_list) {
        m_list = 0;
        if (m_state == State::Ready) {
            stopClock(m_startClock);
            emit said(tr("its tools could not be listed again: %1").arg(words(error)));
        } else {
            fail(tr("it refuses to list its tools: %1").arg(words(error)));
        }
    } else if (m_requests.contains(id)) {
        const qint64 call = m_requests.value(id);
        if (error.code != PageRequired || !askForPages(call, error))
            finishCall(call, {ToolResult::Failed, words(error)});
    }
}

void Client::takeNotification(const QString &method, const ToolJson &params)
{
    if (method == QLatin1String("notifications/tools/list_changed") && m_state == State::Ready) {
        m_relist.start();
    } else if (method == QLatin1String("notifications/progress")) {
        const ToolJson *const token = memberOf(params, "progressToken");
        const auto call = token && token->is_number_integer()
                              ? m_calls.find(m_requests.value(token->get<qint64>()))
                              : m_calls.end();
        if (call == m_calls.end())
            return;
        const auto number = [&](const char *name) {
            const ToolJson *const value = memberOf(params, name);
            return value && value->is_number() ? value->get<double>() : 0;
        };
        // It works; but not for ever.
        if (call->clock->isActive())
            call->left -=
                std::chrono::milliseconds(call->clock->interval() - call->clock->remainingTime());
        startClock(*call->clock,
                   std::clamp(call->left, std::chrono::milliseconds(1), call->patience));
        if (call->progressed)
            call->progressed({number("progress"), number("total"),
                              visible(textIn(params, "message").left(300))});
    } else if (method == QLatin1String("notifications/elicitation/complete")) {
        if (const QString done = textIn(params, "elicitationId"); !done.isEmpty())
            emit inputDone(done);
    } else if (method == QLatin1String("notifications/cancelled")) {
        if (const ToolJson *const id = memberOf(params, "requestId"))
            withdraw([id](const Input &input) { return input.rawId == *id; }, false);
    } else if (method == QLatin1String("notifications/message")) {
        const ToolJson *const data = memberOf(params, "data");
        if (data)
            emit said(QString::fromUtf8(bytesOf(*data).left(500)));
    }
}

/// Over HTTP: what no JSON-RPC answer came to.
void Client::takeFailure(qint64 id, const SendFailure &failure)
{
    if (m_state == State::Over)
        return;
    const bool modern = failure.isError && failure.error.code <= HeaderMismatch &&
                        failure.error.code >= UnsupportedVersion;
    const bool unknown = failure.status >= 400 && failure.status < 500 && failure.status != 401 &&
                         failure.status != 403 && failure.status != 407 && failure.status != 429;
    if (id != 0 && id == m_probe && m_state == State::Probing) {
        if (modern)
            return takeError(id, failure.error);
        m_probe = 0;
        return unknown ? begin() : fail(failure.text);
    }
    if (id != 0 && id == m_begin && m_state == State::Beginning) {
        if (unknown && m_transport->useOldStream()) { // which opens anew
            m_state = State::Idle;
            m_begin = 0;
            return;
        }
        return fail(failure.isError ? words(failure.error) : failure.text);
    }
    if (id != 0 && id == m_listen) {
        m_listen = 0;
        return;
    }
    if (failure.isError)
        return takeError(id, failure.error);
    if (id != 0 && id == m_list)
        return takeError(id, {failure.status, failure.text, {}});
    if (m_requests.contains(id))
        finishCall(m_requests.value(id), {ToolResult::Failed, failure.text});
    if (failure.status == 404 && !m_modern && m_state == State::Ready)
        fail(tr("the server has forgotten the session")); // which begins anew
}

void Client::fail(const QString &why)
{
    if (std::exchange(m_state, State::Over) == State::Over)
        return;
    for (QTimer *timer : {&m_probeClock, &m_startClock, &m_relist})
        stopClock(*timer);
    withdraw([](const Input &) { return true; });
    const QList<qint64> calls = m_calls.keys();
    for (const qint64 id : calls)
        finishCall(id, {ToolResult::Failed, why});
    emit failed(why);
}

} // namespace fireside::mcp
