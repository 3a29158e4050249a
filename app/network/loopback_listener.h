#pragma once
#include <QByteArray>
#include <QObject>
#include <QTcpServer>

#include <functional>

class QTcpSocket;

namespace fireside {

/// Waits on this computer alone (127.0.0.1) for a browser that is sent back to the program. It
/// answers requests for pages, a few at a time, and nothing else.
class LoopbackListener : public QObject
{
    Q_OBJECT
public:
    struct Page
    {
        int status = 200;
        QString title, text;
    };
    /// target: path and query. Called on the thread of the listener.
    using Answer = std::function<Page(const QByteArray &target)>;

    explicit LoopbackListener(Answer answer, QObject *parent = nullptr);

    /// On that port if it is free, else on any. False: on none, `problem()` says why.
    bool listen(quint16 wanted = 0);
    quint16 port() const { return m_server.serverPort(); }
    QString problem() const { return m_server.errorString(); }

private:
    void take();
    void read(QTcpSocket *socket);
    void reply(QTcpSocket *socket, const Page &page);

    const Answer m_answer;
    QTcpServer m_server;
};

} // namespace fireside
