#pragma once
#include "app/tools/input_request.h"
#include "app/tools/mcp/transport.h"

#include <QHash>
#include <QMap>
#include <QPointer>
#include <QTimer>

#include <chrono>
#include <functional>

namespace fireside::mcp {

struct ClientLimits
{
    std::chrono::milliseconds probe{3'000};  // without an answer to what only new servers know
    std::chrono::milliseconds start{90'000}; // until the list of tools is there; programs may be
                                             // downloaded first
    std::chrono::milliseconds list{30'000};
};

/// What a call tells while it runs.
struct CallProgress
{
    double done = 0, total = 0; // total 0: not known
    QString text{};
};

/// Speaks with one server: agrees on a version, keeps the list of its tools, calls them. Servers of
/// 2026-07-28 are asked without a session, older ones within one.
class Client : public QObject
{
    Q_OBJECT
public:
    using Answered = std::function<void(const ToolResult &)>;
    using Progressed = std::function<void(const CallProgress &)>;

    /// Takes the transport over, which closes itself in the end.
    Client(Transport *transport, const QString &server, const ClientLimits &limits = {},
           QObject *parent = nullptr);
    ~Client() override; // calls are dropped without an answer

    /// Servers may ask the user: inputWanted() is listened to. Before start().
    void setAnswersInput(bool answers) { m_answersInput = answers; }
    void start();
    /// patience: without an answer or a sign of progress; ten times as long at most in all.
    /// `answered` comes once, later, unless the call is cancelled. Its id.
    qint64 call(const Tool &tool, const QByteArray &arguments, std::chrono::milliseconds patience,
                Answered answered, Progressed progressed = {});
    void cancel(qint64 call);
    /// To inputWanted(), once.
    void answerInput(qint64 id, const InputAnswer &answer);

    const QList<Tool> &tools() const { return m_tools; }
    const QStringList &problems() const { return m_problems; } // of tools that are left out
    const QString &version() const { return m_version; }       // that is spoken; empty: none yet
    const QString &serverName() const { return m_serverName; }

signals:
    void ready();
    void toolsChanged();
    void failed(const QString &why); // it is of no more use
    void said(const QString &line);
    /// The user is asked; no time runs until answerInput().
    void inputWanted(qint64 id, const fireside::InputRequest &request);
    void inputWithdrawn(qint64 id); // nobody waits for the answer any more
    /// The errand of a page that was opened is done.
    void inputDone(const QString &id);

private:
    enum class State { Idle, Probing, Beginning, Listing, Ready, Over };
    struct Call
    {
        Tool tool;
        QByteArray arguments;
        Answered answered;
        Progressed progressed;
        QTimer *clock = nullptr;
        std::chrono::milliseconds patience{}, left{}; // of all its time
        int retries = 0, rounds = 0;
        ToolJson responses = {}; // to what it asks of the user, by its keys
        ToolJson state = {};     // that goes with them; null: none
    };
    /// What the user is asked.
    struct Input
    {
        qint64 call = 0;    // for whose sake; 0: by itself
        std::string key;    // among the call's responses
        ToolJson rawId;     // of the server's request, where it is one
        bool again = false; // then the call is sent once more
    };

    qint64 send(const char *method, ToolJson params);
    void probe();
    void probeOnce();
    void begin();
    void agree(const QString &version, bool modern, const ToolJson &about);
    void afterDiscovery(const ToolJson &result);
    void afterBeginning(const ToolJson &result);
    bool agreeOnOneOf(const ToolJson &versions);
    void list(const QString &cursor = {});
    void takePage(const ToolJson &result);
    void finishList();
    void subscribe();
    void receive(const ToolJson &message);
    void takeOne(const ToolJson &message);
    void takeResult(qint64 id, const ToolJson &value);
    void takeError(qint64 id, const RpcError &error);
    void takeNotification(const QString &method, const ToolJson &params);
    void takeFailure(qint64 id, const SendFailure &failure);
    void sendCall(qint64 id, const ToolJson &more);
    void sendCallAgain(qint64 callId, const ToolJson &more);
    void resultOfCall(qint64 id, const ToolJson &value);
    void finishCall(qint64 id, const ToolResult &result);
    void fail(const QString &why);
    void takeRequest(const Incoming &asked);
    void askForInput(const Input &input, const InputRequest &request);
    bool askForCall(qint64 callId, const ToolJson &result);
    bool askForPages(qint64 callId, const RpcError &error);
    void goOnWithCall(qint64 callId);
    void withdraw(const std::function<bool(const Input &)> &which, bool tellServer = true);
    void updatePause();
    ToolJson capabilities() const;
    void startClock(QTimer &clock, std::chrono::milliseconds time);
    void stopClock(QTimer &clock);
    void setPaused(bool paused);
    static QString words(const RpcError &error);

    QPointer<Transport> m_transport;
    const QString m_server;
    const ClientLimits m_limits;
    State m_state = State::Idle;
    bool m_modern = false, m_canTell = false; // of changes to its tools
    bool m_probedTwice = false;
    QString m_version, m_serverName;
    QTimer m_probeClock, m_startClock, m_relist;
    qint64 m_lastId = 0;
    qint64 m_probe = 0, m_begin = 0, m_list = 0, m_listen = 0; // requests that run
    QString m_cursor;
    int m_pages = 0;
    QList<Tool> m_tools, m_found;
    QStringList m_problems, m_foundProblems;
    QHash<qint64, qint64> m_requests; // of calls: the request that runs → the call's id
    QHash<qint64, Call> m_calls;
    bool m_answersInput = false;
    QMap<qint64, Input> m_inputs; // that are open
    qint64 m_lastInput = 0;
    bool m_waits = false;           // the transport, for the user
    bool m_paused = false;          // the user is asked
    QHash<QTimer *, int> m_stopped; // clocks: what is left of them, in ms
};

} // namespace fireside::mcp
