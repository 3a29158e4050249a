#pragma once
#include "app/tools/mcp/protocol.h"

#include <QObject>

namespace fireside::mcp {

/// How a message could not be brought to a server over HTTP.
struct SendFailure
{
    int status = 0;       // of HTTP; 0: no answer came
    QString text;         // a clause
    RpcError error{};     // what the answer says, if it is one of JSON-RPC
    bool isError = false; // it is
};

/// Messages to a server and back. Lives on the GUI thread, waits for nothing.
class Transport : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual void open() = 0;
    virtual void send(const Outgoing &message) = 0;
    /// Nothing more is wanted of this request.
    virtual void abandon(qint64 id) = 0;
    /// What was agreed on; from now on messages say it.
    virtual void agree(const QString &version) = 0;
    /// Ends it for good, without a signal; may take a while in the background.
    virtual void close() = 0;
    /// Over HTTP.
    virtual bool isRemote() const = 0;
    /// Where the server speaks only the HTTP of 2024-11-05: tries that. False: not here.
    virtual bool useOldStream() { return false; }

signals:
    void opened();
    void received(const fireside::ToolJson &message);
    void sendFailed(qint64 id, const fireside::mcp::SendFailure &failure);
    /// Answers wait for the user, who takes the time that it takes; or do no more.
    void waits(bool waits);
    /// Nothing goes any more.
    void broken(const QString &why);
    /// What a program writes beside its messages.
    void said(const QString &line);
};

} // namespace fireside::mcp
