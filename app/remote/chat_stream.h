#pragma once
#include "app/remote/event_reader.h"
#include "app/remote/remote_problem.h"
#include "engine/text/reply/reply_parser.h"
#include "engine/text/reply/reply_parts.h"

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>
#include <vector>

namespace fireside {

/// What a server says it has counted; −1: it does not say.
struct RemoteUsage
{
    int promptTokens = -1, cachedTokens = -1, generatedTokens = -1;
    double promptSeconds = -1, generateSeconds = -1; // of llama.cpp alone
};

/// The answer of /chat/completions, streamed or whole, as pieces of a reply. Takes what servers
/// make of the format: thoughts in `reasoning_content`, `reasoning` or between <think> tags, usage
/// in a chunk of its own or in each, fields left out, ends that are not marked.
class ChatStream
{
public:
    ChatStream();

    /// isStream: as the answer's content type says; empty types are guessed from the first byte.
    void begin(const QByteArray &contentType);
    void push(const QByteArray &bytes, std::vector<ReplyDelta> &out);
    void finish(std::vector<ReplyDelta> &out);

    /// Set once the server has said that something failed, or what it says is no reply.
    const std::optional<RemoteProblem> &problem() const { return m_problem; }
    /// Whether it said that the reply ends.
    bool ended() const { return m_done || !m_finish.isEmpty(); }
    const QString &finishReason() const { return m_finish; } // as the server says it
    const RemoteUsage &usage() const { return m_usage; }
    const QString &model() const { return m_model; } // as the server names what answers
    int pieces() const { return m_pieces; }          // with words: about a token each

private:
    struct Call
    {
        int index = -1;
        ToolCall call;
    };
    void takeEvents(const QList<ServerEvent> &events, std::vector<ReplyDelta> &out);
    void take(const QByteArray &json, bool isError, std::vector<ReplyDelta> &out);
    void takeChoice(const QJsonObject &choice, std::vector<ReplyDelta> &out);
    void takeContent(const QJsonValue &content, std::vector<ReplyDelta> &out);
    void takeReasoning(const QString &text, std::vector<ReplyDelta> &out);
    void takeText(const QString &text, std::vector<ReplyDelta> &out);
    void takeCalls(const QJsonArray &calls);
    void takeUsage(const QJsonObject &json);
    void fail(RemoteProblem problem);

    enum class Form { Unknown, Events, Whole };
    Form m_form = Form::Unknown;
    EventReader m_events;
    QByteArray m_whole;
    ReplyParser m_parser;
    bool m_reasoned = false;
    QList<Call> m_calls;
    std::optional<RemoteProblem> m_problem;
    QString m_finish, m_model;
    RemoteUsage m_usage;
    int m_pieces = 0;
    bool m_done = false, m_anything = false;
};

} // namespace fireside
