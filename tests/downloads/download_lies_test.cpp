// Servers that break off, change their minds or send something else than they say.
#include "download_fixture.h"

#include <QDir>

#include <algorithm>

namespace fireside::test {
namespace {

class DownloadLiesTest : public DownloadFixture
{
protected:
    LyingServer m_server{
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); }};
    int m_asked = 0;

    /// Answers the `number`th request so, and the others honestly.
    void lieOnce(int number, std::function<void(ServerAnswer &)> lie)
    {
        m_server.setHandler([this, number, lie](const ServerRequest &request) {
            ServerAnswer answer = fileAnswer(request, m_content);
            if (++m_asked == number)
                lie(answer);
            return answer;
        });
    }
    void lieAlways(std::function<void(ServerAnswer &)> lie)
    {
        m_server.setHandler([this, lie](const ServerRequest &request) {
            ServerAnswer answer = fileAnswer(request, m_content);
            lie(answer);
            return answer;
        });
    }
    static void replaceRange(ServerAnswer &answer, const QByteArray &value)
    {
        for (auto &header : answer.headers) {
            if (header.first == "Content-Range")
                header.second = value;
        }
    }
};

TEST_F(DownloadLiesTest, cutInTheMiddleGoesOn)
{
    lieOnce(3, [](ServerAnswer &answer) { answer.cutAfter = 40'000; });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_EQ(m_server.bodyBytes(), m_content.size()) << "nothing came twice";
}

TEST_F(DownloadLiesTest, cutAlwaysEndsWithAReason)
{
    lieAlways([](ServerAnswer &answer) { answer.cutAfter = 0; });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("cut the connection")));
    EXPECT_LE(m_connections.records().size(), m_policy.attempts * m_policy.connections);
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, cutAfterSomeBytesEachTimeStillArrives)
{
    lieAlways([](ServerAnswer &answer) {
        answer.cutAfter = std::min<qint64>(30'000, answer.body.size());
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, lengthThatIsTooLongIsACut)
{
    lieOnce(1, [](ServerAnswer &answer) {
        answer.headers.emplaceBack("Content-Length", QByteArray::number(answer.body.size() + 5000));
        answer.closes = true;
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, lengthThatIsShorterThanTheRangeGoesOn)
{
    lieOnce(2, [](ServerAnswer &answer) { answer.body.truncate(10'000); });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, anotherSizeThanAnnouncedIsRefused)
{
    RemoteFile wanted = file(m_server);
    wanted.size += 1;
    EXPECT_TRUE(load(wanted).contains(QLatin1String("instead of")));
    m_server.setHandler([this](const ServerRequest &) { return fileAnswer({}, m_content); });
    EXPECT_TRUE(load(wanted).contains(QLatin1String("instead of"))) << "in one piece";
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, serversWithoutRangesSendItWhole)
{
    m_server.setHandler([this](const ServerRequest &) { return fileAnswer({}, m_content); });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_EQ(m_server.requests().size(), 1);
}

TEST_F(DownloadLiesTest, withoutRangesACutBeginsAnew)
{
    int asked = 0;
    m_server.setHandler([&](const ServerRequest &) {
        ServerAnswer answer = fileAnswer({}, m_content);
        if (++asked == 1)
            answer.cutAfter = 300'000;
        return answer;
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_EQ(asked, 2);
}

TEST_F(DownloadLiesTest, allInPlaceOfAPartIsTakenAsAll)
{
    m_server.setHandler([this](const ServerRequest &request) {
        return fileAnswer(++m_asked == 3 ? ServerRequest() : request, m_content);
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_TRUE(m_note.contains(QLatin1String("one piece"))) << qPrintable(m_note);
}

TEST_F(DownloadLiesTest, wrongContentRangesAreNotBelieved)
{
    for (const char *range : {"bytes 5-100004/700001", "bytes 0-700000/700001", "bytes 0-9/5",
                              "nonsense", "bytes 0-99999/*"}) {
        m_asked = 0;
        m_server.setHandler([this, range](const ServerRequest &request) {
            ServerAnswer answer = fileAnswer(request, m_content);
            replaceRange(answer, range);
            return answer;
        });
        const QString name = QString::fromLatin1(sha256(range)) + QStringLiteral(".bin");
        EXPECT_EQ(load(file(m_server, true, name)), QString()) << range;
        EXPECT_EQ(stored(name), m_content) << range;
        EXPECT_EQ(m_server.requests().last().header("range"), "") << "in one piece then";
    }
}

TEST_F(DownloadLiesTest, aPartInPlaceOfAllIsRefused)
{
    m_server.setHandler([this](const ServerRequest &) {
        ServerAnswer answer = fileAnswer({}, m_content);
        answer.status = 206;
        answer.headers.emplaceBack("Content-Range", "bytes 1-10/700001");
        return answer;
    });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("a part where all")));
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, aFileThatChangesIsBegunAnew)
{
    const QByteArray newer = randomBytes(500'000, 2);
    for (const bool withTags : {true, false}) { // without: by its size
        m_asked = 0;
        m_server.setHandler([&](const ServerRequest &request) {
            const bool before = ++m_asked <= 3;
            return fileAnswer(request, before ? m_content : newer,
                              !withTags ? ""
                              : before  ? "\"one\""
                                        : "\"two\"");
        });
        const QString name = withTags ? QStringLiteral("a.bin") : QStringLiteral("b.bin");
        EXPECT_EQ(load(file(m_server, false, name)), QString());
        EXPECT_EQ(stored(name), newer);
        EXPECT_TRUE(m_note.contains(QLatin1String("changed"))) << qPrintable(m_note);
    }
}

TEST_F(DownloadLiesTest, aFileThatChangedBetweenTwoRunsIsBegunAnew)
{
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        answer.dripBytes = 5000;
        return answer;
    });
    {
        const auto first = make({file(m_server, false)});
        first->start();
        ASSERT_TRUE(waitFor([&] { return first->status().bytesDone > 200'000; }));
    }
    const QByteArray newer = randomBytes(m_content.size(), 2); // of the same size
    m_server.setHandler(
        [&](const ServerRequest &request) { return fileAnswer(request, newer, "\"two\""); });
    EXPECT_EQ(load(file(m_server, false)), QString());
    EXPECT_EQ(stored(), newer);
    EXPECT_TRUE(m_note.contains(QLatin1String("changed"))) << qPrintable(m_note);
}

TEST_F(DownloadLiesTest, aFileThatKeepsChangingIsGivenUp)
{
    m_server.setHandler([this](const ServerRequest &request) {
        return fileAnswer(request, m_content, '"' + QByteArray::number(++m_asked) + '"');
    });
    EXPECT_TRUE(load(file(m_server, false)).contains(QLatin1String("keeps changing")));
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, wrongBytesAreThrownAway)
{
    lieOnce(4, [](ServerAnswer &answer) {
        answer.body[500] = static_cast<char>(answer.body[500] ^ 1);
    });
    const QString problem = load(file(m_server));
    EXPECT_TRUE(problem.contains(QLatin1String("SHA-256"))) << qPrintable(problem);
    EXPECT_TRUE(problem.contains(QString::fromLatin1(sha256(m_content)))) << qPrintable(problem);
    EXPECT_TRUE(nothingIsLeft());
    EXPECT_EQ(load(file(m_server)), QString()) << "the next attempt begins anew";
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, anotherDigestInTheHubsHeaderIsSaidAtOnce)
{
    lieAlways([](ServerAnswer &answer) {
        answer.headers.emplaceBack("X-Linked-ETag", '"' + sha256("other") + '"');
    });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("another file on the server")));
    EXPECT_EQ(m_server.requests().size(), 1);
}

TEST_F(DownloadLiesTest, packedContentIsRefused)
{
    lieAlways([](ServerAnswer &answer) { answer.headers.emplaceBack("Content-Encoding", "gzip"); });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("gzip")));
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, anEndlessBodyIsCut)
{
    m_server.setHandler([](const ServerRequest &) {
        ServerAnswer answer;
        answer.body = QByteArray(50'000, 'x');
        answer.endless = true;
        return answer;
    });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("more than it said")));
    EXPECT_TRUE(nothingIsNamed());
    EXPECT_LT(m_server.bodyBytes(), 50'000'000);
}

TEST_F(DownloadLiesTest, moreThanTheRangeIsLeftOut)
{
    lieAlways([](ServerAnswer &answer) {
        answer.body += QByteArray(7000, 'x');
        answer.chunked = true;
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, aSlowDripIsCutAndGivenUp)
{
    m_policy.patience = std::chrono::milliseconds(100);
    lieAlways([](ServerAnswer &answer) {
        answer.dripBytes = 1;
        answer.dripMs = 20;
    });
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("too slowly")));
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadLiesTest, silenceIsNotWaitedForForever)
{
    m_policy.patience = std::chrono::milliseconds(500);
    m_policy.attempts = 100;
    lieOnce(1, [](ServerAnswer &answer) { answer.silent = true; });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, nothingBehindTheEndMeansThatItChanged)
{
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        if (++m_asked == 3) {
            answer = statusAnswer(416, {{"Content-Range", "bytes */10"}});
        }
        return answer;
    });
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_TRUE(m_note.contains(QLatin1String("changed"))) << qPrintable(m_note);
    m_server.setHandler([](const ServerRequest &) { return statusAnswer(416); });
    EXPECT_FALSE(load(file(m_server, true, QStringLiteral("b.bin"))).isEmpty());
    EXPECT_EQ(stored(QStringLiteral("b.bin")), "no such file");
}

TEST_F(DownloadLiesTest, chunksWithoutALengthAreWhole)
{
    m_server.setHandler([this](const ServerRequest &) {
        ServerAnswer answer = fileAnswer({}, m_content);
        answer.chunked = true;
        if (++m_asked == 1)
            answer.cutAfter = 123'456;
        return answer;
    });
    EXPECT_EQ(load(file(m_server, false)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_EQ(m_asked, 2) << "the cut was noticed";
}

TEST_F(DownloadLiesTest, anEndThatNobodyMarksIsNotBelieved)
{
    m_server.setHandler([this](const ServerRequest &) {
        ServerAnswer answer = fileAnswer({}, m_content);
        answer.closes = true;
        return answer;
    });
    EXPECT_TRUE(load(file(m_server, false)).contains(QLatin1String("how long")));
    EXPECT_TRUE(nothingIsNamed());
    EXPECT_EQ(load(file(m_server)), QString()) << "a digest tells";
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadLiesTest, aPageInPlaceOfAModelIsNone)
{
    m_server.setHandler([](const ServerRequest &) { return statusAnswer(200); });
    const RemoteFile wanted = file(m_server, false, QStringLiteral("model.gguf"));
    EXPECT_TRUE(load(wanted).contains(QLatin1String("no GGUF")));
    EXPECT_TRUE(nothingIsLeft());
    m_content.replace(0, 4, "GGUF");
    m_server.setHandler(
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); });
    EXPECT_EQ(load(wanted), QString());
}

TEST_F(DownloadLiesTest, namesThatLeaveTheFolderAreRefused)
{
    for (const char *name : {"../model.bin", "/tmp/model.bin", "a/../../model.bin", ".ssh/keys"}) {
        RemoteFile wanted = file(m_server);
        wanted.name = QString::fromLatin1(name);
        EXPECT_TRUE(load(wanted).contains(QLatin1String("no name"))) << name;
    }
    const RemoteFile wanted = file(m_server);
    EXPECT_TRUE(load(*make({wanted, wanted})).contains(QLatin1String("two files")));
    EXPECT_TRUE(m_server.requests().isEmpty());
    EXPECT_TRUE(nothingIsLeft());
}

} // namespace
} // namespace fireside::test
