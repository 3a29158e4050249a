#pragma once
#include "app/remote/chat_body.h"
#include "app/remote/chat_stream.h"
#include "app/remote/remote_problem.h"
#include "app/remote/remote_server.h"
#include "app/runtime/engine_types.h"
#include "app/runtime/reply_text.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>

namespace fireside {

class HttpExchange;
class NetworkGate;

/// Who is asked.
struct RemoteTarget
{
    RemoteServer server;
    OfferedModel model;
    QByteArray key; // empty: none
};

/// How long is waited, and how often is tried.
struct RemotePatience
{
    std::chrono::milliseconds firstWords{600'000}; // a server may load the model first
    std::chrono::milliseconds silence{180'000};    // between two pieces
    std::chrono::milliseconds firstWait{1000};     // before the second try; then twice as long
    std::chrono::seconds longestWait{60};          // that a server may ask for
    int tries = 4;
    int collectMs = 40; // words are handed on together
};

/// A reply that a server elsewhere writes: asked for, tried again while nothing was written, and
/// handed on as EngineWorker hands on its own.
class RemoteReply : public QObject
{
    Q_OBJECT
public:
    /// refused: parameters that this model does not take, added to; it must outlive the reply.
    RemoteReply(NetworkGate &gate, RemoteTarget target, ReplyJob job, RefusedParameters &refused,
                RemotePatience patience = {}, QObject *parent = nullptr);
    ~RemoteReply() override; // ends it without a signal

    /// Says whether other replies of this program are written by the same server. Where it is busy
    /// with them, this one waits: queued(), until askAgain().
    void setOthers(std::function<bool()> others) { m_others = std::move(others); }
    void start();
    void askAgain();
    bool isQueued() const { return m_queued; }
    void stop();   // finished() tells
    void cancel(); // no signal follows
    bool wroteAnything() const { return m_wrote; }

signals:
    /// A clause: why, and when it is tried again. Empty: it is being tried.
    void waiting(const QString &why);
    void queued();
    void partsChanged(const QList<fireside::MessagePart> &parts);
    void textAdded(const QString &text, const fireside::ReplyStats &stats);
    void contextTrimmed(int firstSeenMessage);
    void contextFull(const fireside::ContextShortage &shortage); // failed() follows
    void finished(const fireside::ReplyStats &stats);
    void failed(const fireside::RemoteProblem &problem);

private:
    void ask();
    void take(const QByteArray &data);
    void takeEnd();
    void flush();
    void takeFailure(RemoteProblem problem, int status);
    bool leftOutParameter(const RemoteProblem &problem, int status);
    bool shortened(const RemoteProblem &problem);
    bool queues(const RemoteProblem &problem);
    bool triesAgain(const RemoteProblem &problem);
    void finish(const QString &reason);
    void fail(RemoteProblem problem);
    ReplyStats stats() const;

    NetworkGate &m_gate;
    const RemoteTarget m_target;
    const ReplyJob m_job;
    ReplyJob m_asked; // perhaps without the oldest messages
    RefusedParameters &m_refused;
    const RemotePatience m_patience;
    const qint64 m_seed;
    std::unique_ptr<HttpExchange> m_exchange;
    std::unique_ptr<ChatStream> m_stream;
    ReplyText m_text;
    QList<MessagePart> m_sentParts;
    QStringList m_unsent; // keys of settings that are on
    std::function<bool()> m_others;
    QTimer m_batch, m_again;
    QElapsedTimer m_clock;    // since it was asked
    double m_firstWords = -1; // of the clock
    double m_lastWords = -1;
    int m_tries = 0, m_leftOut = 0, m_shortenings = 0;
    bool m_wrote = false, m_over = false, m_queued = false;
};

} // namespace fireside
