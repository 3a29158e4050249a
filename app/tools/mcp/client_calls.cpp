// Calls of tools: sent, sent again where the server wants more rounds, and their clocks.
#include "app/tools/mcp/client.h"

#include <utility>

namespace fireside::mcp {

qint64 Client::call(const Tool &tool, const QByteArray &arguments,
                    std::chrono::milliseconds patience, Answered answered, Progressed progressed)
{
    const qint64 id = ++m_lastId; // of its first request, too
    Call call{tool, arguments, std::move(answered), std::move(progressed)};
    call.patience = patience;
    call.left = 10 * patience;
    call.clock = new QTimer(this);
    call.clock->setSingleShot(true);
    connect(call.clock, &QTimer::timeout, this, [this, id, patience] {
        const qint64 asked = m_requests.key(id);
        if (asked != 0 && m_transport) {
            if (!m_modern || !m_transport->isRemote())
                m_transport->send(notification("notifications/cancelled",
                                               {{"requestId", asked}, {"reason", "timeout"}}));
            m_transport->abandon(asked);
        }
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(patience);
        finishCall(id, {ToolResult::Failed, tr("no answer within %1 s").arg(seconds.count())});
    });
    startClock(*call.clock, patience);
    m_calls.insert(id, call);
    if (m_state == State::Ready) {
        m_requests.insert(id, id);
        sendCall(id, {});
    } else {
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                finishCall(id, {ToolResult::Failed, tr("its server is not ready")});
            },
            Qt::QueuedConnection);
    }
    return id;
}

/// request: a key of m_requests. more: what the server wants back.
void Client::sendCall(qint64 request, const ToolJson &more)
{
    const Call &call = m_calls[m_requests.value(request)];
    ToolJson params{{"name", call.tool.name.toStdString()}};
    const ToolJson arguments = parsedJson(call.arguments).value_or(ToolJson::object());
    params["arguments"] = arguments;
    params["_meta"] = {{"progressToken", request}};
    if (more.is_object())
        params.update(more);
    Outgoing message =
        mcp::request(request, "tools/call", std::move(params), m_modern, capabilities());
    message.name = headerValue(call.tool.name.toStdString());
    if (m_modern && m_transport->isRemote())
        message.parameters =
            parameterHeaders(parsedJson(call.tool.parameters).value_or(ToolJson()), arguments);
    m_transport->send(message);
}

void Client::resultOfCall(qint64 id, const ToolJson &value)
{
    constexpr int kMostRetries = 3;
    const qint64 callId = m_requests.value(id);
    const auto call = m_calls.find(callId);
    if (call == m_calls.end())
        return; // an id that nobody asked with, or that nobody waits for any more
    if (textIn(value, "resultType") != QLatin1String("input_required"))
        return finishCall(callId, resultOf(value));
    const ToolJson *const wanted = memberOf(value, "inputRequests");
    const ToolJson *const state = memberOf(value, "requestState");
    if (wanted && !wanted->empty()) {
        if (!askForCall(callId, value))
            finishCall(callId, resultOf(value));
    } else if (state && ++call->retries <= kMostRetries) {
        sendCallAgain(callId, {{"requestState", *state}});
    } else {
        finishCall(callId, resultOf(value));
    }
}

/// As another request.
void Client::sendCallAgain(qint64 callId, const ToolJson &more)
{
    m_requests.remove(m_requests.key(callId));
    const qint64 next = ++m_lastId;
    m_requests.insert(next, callId);
    sendCall(next, more);
}

void Client::finishCall(qint64 id, const ToolResult &result)
{
    const auto found = m_calls.find(id);
    if (found == m_calls.end())
        return;
    const Call call = *found;
    m_calls.erase(found);
    m_requests.remove(m_requests.key(id));
    withdraw([id](const Input &input) { return input.call == id; });
    stopClock(*call.clock);
    call.clock->deleteLater();
    call.answered(result);
}

void Client::cancel(qint64 id)
{
    const auto found = m_calls.find(id);
    if (found == m_calls.end())
        return;
    const qint64 asked = m_requests.key(id);
    if (asked != 0 && m_transport) {
        if (!m_modern || !m_transport->isRemote())
            m_transport->send(notification("notifications/cancelled",
                                           {{"requestId", asked}, {"reason", "stopped"}}));
        m_transport->abandon(asked);
    }
    stopClock(*found->clock);
    found->clock->deleteLater();
    m_requests.remove(asked);
    m_calls.erase(found);
    // What it asks by itself is mostly for the sake of a call that runs.
    const bool none = m_calls.isEmpty();
    withdraw(
        [id, none](const Input &input) { return input.call == id || (none && input.call == 0); });
}

void Client::startClock(QTimer &clock, std::chrono::milliseconds time)
{
    if (m_paused)
        m_stopped.insert(&clock, static_cast<int>(time.count()));
    else
        clock.start(time);
}

void Client::stopClock(QTimer &clock)
{
    m_stopped.remove(&clock);
    clock.stop();
}

/// Nobody's time runs while the user is asked something.
void Client::setPaused(bool paused)
{
    if (std::exchange(m_paused, paused) == paused)
        return;
    QList<QTimer *> clocks{&m_probeClock, &m_startClock};
    for (const Call &call : std::as_const(m_calls))
        clocks += call.clock;
    const QHash<QTimer *, int> stopped = std::exchange(m_stopped, {});
    for (QTimer *const clock : std::as_const(clocks)) {
        if (paused && clock->isActive()) {
            m_stopped.insert(clock, clock->remainingTime());
            clock->stop();
        } else if (!paused && stopped.contains(clock)) {
            clock->start(stopped.value(clock));
        }
    }
}

} // namespace fireside::mcp
