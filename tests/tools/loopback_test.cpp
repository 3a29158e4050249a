// Where a browser comes back to.
#include "app/network/loopback_listener.h"
#include "tools_fixture.h"

#include <QTcpSocket>

namespace fireside::test {
namespace {

/// What a listener answers to bytes of any kind.
QByteArray answerOf(quint16 port, const QByteArray &bytes)
{
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), port);
    socket.write(bytes);
    QByteArray answer;
    waitFor([&] {
        answer += socket.readAll();
        return socket.state() == QAbstractSocket::UnconnectedState;
    });
    return answer + socket.readAll();
}

TEST(LoopbackListener, AnswersBrowsersOfThisComputerAlone)
{
    QList<QByteArray> asked;
    LoopbackListener listener([&](const QByteArray &target) {
        asked += target;
        return LoopbackListener::Page{200, QStringLiteral("<title>"), QStringLiteral("text")};
    });
    ASSERT_TRUE(listener.listen());
    const QByteArray host = "\r\nHost: 127.0.0.1:" + QByteArray::number(listener.port()) + "\r\n";
    const QByteArray fine = answerOf(listener.port(), "GET /callback?a=b HTTP/1.1" + host + "\r\n");
    EXPECT_TRUE(fine.startsWith("HTTP/1.1 200")) << fine.data();
    EXPECT_TRUE(fine.contains("&lt;title&gt;"));
    EXPECT_EQ(asked, QList<QByteArray>{"/callback?a=b"});
    for (const QByteArray &bad :
         {QByteArray("GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
          "POST /x HTTP/1.1" + host + "\r\n", "GET x HTTP/1.1" + host + "\r\n",
          QByteArray("\r\n\r\n"), QByteArray("GET / HTTP/1.1\r\n\r\n")})
        EXPECT_TRUE(answerOf(listener.port(), bad).startsWith("HTTP/1.1 400")) << bad.data();
    EXPECT_TRUE(answerOf(listener.port(), QByteArray(100'000, 'x')).isEmpty());
    EXPECT_EQ(asked.size(), 1);
    LoopbackListener other([](const QByteArray &) { return LoopbackListener::Page(); });
    ASSERT_TRUE(other.listen(listener.port())); // that is taken
    EXPECT_NE(other.port(), listener.port());
}

} // namespace
} // namespace fireside::test
