// What servers ask of the user: within a session as requests of their own, since 2026-07-28 in
// place of a call's result, or as pages that have to be visited first.
#include "app/tools/mcp/client.h"
#include "app/tools/mcp/elicitation.h"

#include <utility>

namespace fireside::mcp {
namespace {

constexpr std::size_t kMostAtOnce = 10;
constexpr int kMostOpen = 20;   // of a server's own
constexpr int kMostRounds = 50; // of one call

} // namespace

ToolJson Client::capabilities() const
{
    return m_answersInput ? inputCapabilities() : ToolJson::object();
}

void Client::updatePause()
{
    setPaused(m_waits || !m_inputs.isEmpty());
}

/// Of a session. Servers of today have none of their own.
void Client::takeRequest(const Incoming &asked)
{
    if (m_modern)
        return;
    if (asked.method == QLatin1String("ping"))
        return m_transport->send(answer(asked.rawId, ToolJson::object()));
    if (asked.method != QLatin1String("elicitation/create") || !m_answersInput)
        return m_transport->send(
            refusal(asked.rawId, MethodNotFound, QStringLiteral("Fireside does not offer this")));
    QString problem;
    const auto request = readInputRequest(asked.value, m_server, problem);
    if (!request || m_inputs.size() >= kMostOpen)
        return m_transport->send(
            refusal(asked.rawId, InvalidParams,
                    request ? QStringLiteral("too much is asked at once") : problem));
    askForInput({0, {}, asked.rawId, false}, *request);
}

void Client::askForInput(const Input &input, const InputRequest &request)
{
    const qint64 id = ++m_lastInput;
    m_inputs.insert(id, input);
    updatePause();
    emit inputWanted(id, request);
}

/// False: it asks for what is not there.
bool Client::askForCall(qint64 callId, const ToolJson &result)
{
    Call &call = m_calls[callId];
    const ToolJson wanted = result["inputRequests"];
    if (!m_answersInput || !wanted.is_object() || wanted.size() > kMostAtOnce ||
        ++call.rounds > kMostRounds)
        return false;
    QList<QPair<std::string, InputRequest>> requests;
    for (const auto &[key, one] : wanted.items()) {
        const ToolJson *const params = memberOf(one, "params");
        QString problem;
        auto request = params && textIn(one, "method") == QLatin1String("elicitation/create")
                           ? readInputRequest(*params, m_server, problem)
                           : std::nullopt;
        if (!request)
            return false;
        requests.append({key, *request});
    }
    const ToolJson *const state = memberOf(result, "requestState");
    call.responses = ToolJson::object();
    call.state = state ? *state : ToolJson();
    for (const auto &[key, request] : requests)
        askForInput({callId, key, {}, false}, request);
    return true;
}

/// The call is sent again when the user has been there. False: the error names no page.
bool Client::askForPages(qint64 callId, const RpcError &error)
{
    const ToolJson *const list = memberOf(error.data, "elicitations");
    Call &call = m_calls[callId];
    if (!m_answersInput || !list || !list->is_array() || list->empty() ||
        list->size() > kMostAtOnce || ++call.rounds > kMostRounds)
        return false;
    QList<InputRequest> requests;
    for (const ToolJson &one : *list) {
        QString problem;
        auto request = readInputRequest(one, m_server, problem);
        if (!request || !request->isPage())
            return false;
        request->waits = true;
        requests.append(*request);
    }
    for (const InputRequest &request : std::as_const(requests))
        askForInput({callId, {}, {}, true}, request);
    return true;
}

void Client::answerInput(qint64 id, const InputAnswer &given)
{
    const auto found = m_inputs.find(id);
    if (found == m_inputs.end())
        return;
    const Input input = *found;
    m_inputs.erase(found);
    updatePause();
    if (input.call == 0) {
        m_transport->send(answer(input.rawId, inputResult(given)));
        return;
    }
    const auto call = m_calls.find(input.call);
    if (call == m_calls.end())
        return;
    if (!input.again)
        call->responses[input.key] = inputResult(given);
    else if (given.action != InputAnswer::Accept)
        return finishCall(input.call,
                          {ToolResult::Failed, tr("the user has not opened the page that the "
                                                  "server demands")});
    for (const Input &other : std::as_const(m_inputs))
        if (other.call == input.call)
            return; // there is more to answer
    goOnWithCall(input.call);
}

void Client::goOnWithCall(qint64 callId)
{
    Call &call = m_calls[callId];
    ToolJson more = ToolJson::object();
    if (call.responses.is_object())
        more["inputResponses"] = std::exchange(call.responses, {});
    if (!call.state.is_null())
        more["requestState"] = std::exchange(call.state, {});
    sendCallAgain(callId, more);
}

void Client::withdraw(const std::function<bool(const Input &)> &which, bool tellServer)
{
    QList<QPair<qint64, ToolJson>> gone;
    for (auto input = m_inputs.begin(); input != m_inputs.end();) {
        if (which(*input)) {
            gone.emplaceBack(input.key(), input->rawId);
            input = m_inputs.erase(input);
        } else {
            ++input;
        }
    }
    updatePause();
    for (const auto &[id, rawId] : std::as_const(gone)) {
        if (tellServer && !rawId.is_null() && m_state != State::Over && m_transport)
            m_transport->send(answer(rawId, inputResult({InputAnswer::Cancel, {}})));
        emit inputWithdrawn(id);
    }
}

} // namespace fireside::mcp
