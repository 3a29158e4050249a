// Who is asked, with which words, and what a refusal means.
#include "download_fixture.h"

#include <QElapsedTimer>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpServer>

namespace fireside::test {
namespace {

class DownloadRulesTest : public DownloadFixture
{
protected:
    LyingServer m_server{
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); }};

    QString loadWithStatus(int status, QList<QPair<QByteArray, QByteArray>> headers = {})
    {
        m_server.setHandler([=](const ServerRequest &) { return statusAnswer(status, headers); });
        const QString problem = load(file(m_server));
        EXPECT_FALSE(problem.isEmpty());
        EXPECT_TRUE(nothingIsNamed());
        return problem;
    }
};

TEST_F(DownloadRulesTest, refusalsAreSentences)
{
    EXPECT_TRUE(loadWithStatus(401).contains(QLatin1String("needs an access token")));
    EXPECT_TRUE(loadWithStatus(403, {{"X-Error-Code", "GatedRepo"}})
                    .contains(QLatin1String("give Fireside an access token")));
    EXPECT_TRUE(loadWithStatus(404).contains(QLatin1String("no such file")));
    EXPECT_TRUE(loadWithStatus(404, {{"X-Error-Code", "RepoNotFound"}})
                    .contains(QLatin1String("no such repository")));
    EXPECT_TRUE(loadWithStatus(451, {{"X-Error-Message", "for legal\treasons"}})
                    .contains(QLatin1String("for legal reasons")));
    EXPECT_EQ(m_server.requests().size(), 5) << "none was tried again";
    m_token = "hf_abc";
    EXPECT_TRUE(loadWithStatus(403, {{"X-Error-Code", "GatedRepo"}})
                    .contains(QLatin1String("accepted its terms")));
    EXPECT_TRUE(loadWithStatus(401).contains(QLatin1String("does not accept the access token")));
    EXPECT_TRUE(loadWithStatus(401, {{"WWW-Authenticate", "Basic realm=\"x\""}})
                    .contains(QLatin1String("access token")));
}

TEST_F(DownloadRulesTest, tooManyRequestsAreWaitedFor)
{
    EXPECT_TRUE(
        loadWithStatus(429, {{"Retry-After", "0"}}).contains(QLatin1String("fewer requests")));
    int asked = 0;
    m_server.setHandler([&](const ServerRequest &request) {
        return ++asked == 1 ? statusAnswer(429, {{"Retry-After", "1"}})
                            : fileAnswer(request, m_content);
    });
    QElapsedTimer clock;
    clock.start();
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_GE(clock.elapsed(), 1000) << "as the server asked";
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadRulesTest, serversOutOfOrderAreTriedAgain)
{
    for (const int status : {500, 502, 503, 504}) {
        int asked = 0;
        m_server.setHandler([&](const ServerRequest &request) {
            return ++asked <= 2 ? statusAnswer(status, {{"Retry-After", "0"}})
                                : fileAnswer(request, m_content);
        });
        const QString name = QString::number(status);
        EXPECT_EQ(load(file(m_server, true, name)), QString());
        EXPECT_EQ(stored(name), m_content);
    }
    EXPECT_TRUE(m_note.contains(QLatin1String("trying again"))) << qPrintable(m_note);
}

TEST_F(DownloadRulesTest, aWaitWithoutEndIsNotBegun)
{
    const QString problem = loadWithStatus(503, {{"Retry-After", "86400"}});
    EXPECT_TRUE(problem.contains(QLatin1String("1440 minutes"))) << qPrintable(problem);
    EXPECT_EQ(m_server.requests().size(), 1);
}

TEST_F(DownloadRulesTest, redirectsAreFollowedAndTheTokenStays)
{
    m_token = "hf_secret";
    LyingServer elsewhere(
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); });
    m_server.setHandler([&](const ServerRequest &request) {
        return request.path.startsWith("/files/")
                   ? statusAnswer(307, {{"Location", "/moved"}})
                   : statusAnswer(
                         302, {{"Location", elsewhere.url(QStringLiteral("/signed")).toEncoded()},
                               {"X-Linked-ETag", '"' + sha256(m_content) + '"'}});
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    ASSERT_FALSE(elsewhere.requests().isEmpty());
    for (const ServerRequest &request : m_server.requests())
        EXPECT_EQ(request.header("authorization"), "Bearer hf_secret");
    for (const ServerRequest &request : elsewhere.requests()) {
        EXPECT_EQ(request.header("authorization"), "") << "the token goes to nobody else";
        EXPECT_NE(request.header("range"), "");
    }
}

/// For the life of the object this program's requests go through a proxy: addresses of other
/// computers can be asked for.
class ThroughProxy
{
public:
    explicit ThroughProxy(const QUrl &proxy)
    {
        QNetworkProxy::setApplicationProxy(QNetworkProxy(QNetworkProxy::HttpProxy, proxy.host(),
                                                         static_cast<quint16>(proxy.port())));
    }
    ~ThroughProxy() { QNetworkProxy::setApplicationProxy(m_before); }
    ThroughProxy(const ThroughProxy &) = delete;
    ThroughProxy &operator=(const ThroughProxy &) = delete;

private:
    const QNetworkProxy m_before = QNetworkProxy::applicationProxy();
};

TEST_F(DownloadRulesTest, theTokenIsNotSentInTheClear)
{
    m_token = "hf_secret";
    const ThroughProxy proxy(m_server.url({}));
    RemoteFile wanted = file(m_server);
    wanted.url = QUrl(QStringLiteral("http://models.example/files/model.bin"));
    EXPECT_EQ(load(wanted), QString());
    ASSERT_FALSE(m_server.requests().isEmpty());
    for (const ServerRequest &request : m_server.requests()) {
        EXPECT_TRUE(request.path.contains("models.example")) << request.path.constData();
        EXPECT_EQ(request.header("authorization"), "");
    }
}

TEST_F(DownloadRulesTest, theTokenStaysWithTheNameItWasGivenFor)
{
    m_token = "hf_secret";
    m_server.setHandler([this](const ServerRequest &request) {
        QUrl other = m_server.url(QStringLiteral("/other"));
        other.setHost(QStringLiteral("localhost")); // the same computer by another name
        return request.path.startsWith("/files/")
                   ? statusAnswer(302, {{"Location", other.toEncoded()}})
                   : fileAnswer(request, m_content);
    });
    EXPECT_EQ(load(file(m_server)), QString());
    int others = 0;
    for (const ServerRequest &request : m_server.requests()) {
        const bool own = request.path.startsWith("/files/");
        others += !own;
        EXPECT_EQ(request.header("authorization"), own ? "Bearer hf_secret" : "");
    }
    EXPECT_GT(others, 0);
}

TEST_F(DownloadRulesTest, redirectsWithoutEndAreLeft)
{
    m_server.setHandler([](const ServerRequest &request) {
        return statusAnswer(302, {{"Location", request.path + 'x'}});
    });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("without end")));
    EXPECT_LT(m_server.requests().size(), 20);
    m_server.setHandler([](const ServerRequest &) { return statusAnswer(302); });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("nowhere")));
    m_server.setHandler([](const ServerRequest &) {
        return statusAnswer(302, {{"Location", "file:///etc/passwd"}});
    });
    EXPECT_FALSE(load(file(m_server)).isEmpty());
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadRulesTest, certificatesThatNobodyVouchesForAreRefused)
{
    ASSERT_TRUE(QSslSocket::supportsSsl());
    LyingServer impostor(
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); }, true);
    const QString problem = load(file(impostor));
    EXPECT_TRUE(problem.contains(QLatin1String("cannot be trusted"))) << qPrintable(problem);
    EXPECT_TRUE(impostor.requests().isEmpty()) << "nothing was told to it";
}

TEST_F(DownloadRulesTest, encryptionIsNotGivenUpOnTheWay)
{
    LyingServer secure(
        [this](const ServerRequest &) {
            return statusAnswer(302,
                                {{"Location", m_server.url(QStringLiteral("/clear")).toEncoded()}});
        },
        true);
    const TrustedByAll trust;
    const QString problem = load(file(secure));
    EXPECT_TRUE(problem.contains(QLatin1String("without encryption"))) << qPrintable(problem);
    EXPECT_TRUE(m_server.requests().isEmpty());
}

TEST_F(DownloadRulesTest, aRefusedConnectionIsTriedAgainAndSaid)
{
    QTcpServer closed;
    ASSERT_TRUE(closed.listen(QHostAddress::LocalHost));
    RemoteFile wanted = file(m_server);
    wanted.url.setPort(closed.serverPort());
    closed.close();
    EXPECT_TRUE(load(wanted).contains(QLatin1String("refuses the connection")));
    EXPECT_EQ(m_connections.records().size(), m_policy.attempts);
    EXPECT_FALSE(m_connections.records().last().result.isEmpty());
}

TEST_F(DownloadRulesTest, otherAddressesThanWebAddressesAreRefused)
{
    for (const char *address : {"file:///etc/passwd", "ftp://127.0.0.1/a", "data:,abc", "qrc:/a"}) {
        RemoteFile wanted = file(m_server);
        wanted.url = QUrl(QString::fromLatin1(address));
        EXPECT_TRUE(load(wanted).contains(QLatin1String("https"))) << address;
    }
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadRulesTest, offlineNothingIsOpenedAndWhatRunsIsCut)
{
    m_connections.setOffline(true);
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("offline")));
    EXPECT_TRUE(m_server.requests().isEmpty());
    ASSERT_EQ(m_connections.records().size(), 1);
    EXPECT_TRUE(m_connections.records().first().result.contains(QLatin1String("refused")));

    m_connections.setOffline(false);
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        answer.dripBytes = 2000;
        return answer;
    });
    const auto download = make({file(m_server)});
    download->start();
    ASSERT_TRUE(waitFor([&] { return download->status().bytesDone > 50'000; }));
    m_connections.setOffline(true);
    ASSERT_TRUE(waitFor([&] { return download->status().state == DownloadStatus::State::Failed; }));
    EXPECT_TRUE(download->status().problem.contains(QLatin1String("offline")));
    const auto asked = m_server.requests().size();
    for (const ConnectionRecord &record : m_connections.records())
        EXPECT_FALSE(record.result.isEmpty()) << "none still runs";
    m_connections.setOffline(false);
    m_server.setHandler(
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); });
    EXPECT_EQ(load(*download), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_GT(m_server.requests().size(), asked);
}

} // namespace
} // namespace fireside::test
