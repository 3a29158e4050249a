// Downloads from a server that tells the truth: parts, pauses, ends of the program, disks.
#include "download_fixture.h"
#include "tests/support/no_space.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>
#include <csignal>

namespace fireside::test {
namespace {

class DownloadTest : public DownloadFixture
{
protected:
    LyingServer m_server{
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); }};
};

TEST_F(DownloadTest, comesInPartsAndIsTheSame)
{
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_EQ(m_server.requests().size(), 8) << "700,001 bytes in parts of 100,000";
    EXPECT_EQ(m_server.bodyBytes(), m_content.size()) << "nothing came twice";
    EXPECT_FALSE(QDir(partsFolder(m_folder)).exists());
    EXPECT_EQ(m_server.requests().first().header("accept-encoding"), "identity");
    EXPECT_EQ(m_server.requests().last().header("if-range"), "\"one\"");
    const auto records = m_connections.records();
    ASSERT_EQ(records.size(), 8);
    EXPECT_TRUE(std::all_of(records.begin(), records.end(), [](const ConnectionRecord &record) {
        return record.result == QLatin1String("206") && record.bytesReceived > 0 &&
               record.purpose.contains(QLatin1String("model.bin"));
    }));
}

TEST_F(DownloadTest, nothingNeedsToBeKnownBefore)
{
    EXPECT_EQ(load(file(m_server, false)), QString());
    EXPECT_EQ(stored(), m_content);
}

TEST_F(DownloadTest, anEmptyFileIsAFile)
{
    m_content.clear();
    EXPECT_EQ(load(file(m_server)), QString());
    EXPECT_EQ(load(file(m_server, false, QStringLiteral("unknown.bin"))), QString());
    EXPECT_EQ(stored(), QByteArray());
    EXPECT_EQ(stored(QStringLiteral("unknown.bin")), QByteArray());
}

TEST_F(DownloadTest, pausesAndGoesOnWhereItWas)
{
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        answer.dripBytes = 5000;
        return answer;
    });
    const auto download = make({file(m_server)});
    download->start();
    ASSERT_TRUE(waitFor([&] { return download->status().bytesDone > 200'000; }));
    EXPECT_EQ(download->status().state, DownloadStatus::State::Receiving);
    EXPECT_EQ(download->status().bytesTotal, m_content.size());
    download->pause();
    EXPECT_EQ(download->status().state, DownloadStatus::State::Paused);
    EXPECT_TRUE(nothingIsNamed());
    EXPECT_EQ(load(*download), QString());
    EXPECT_EQ(stored(), m_content);
    const qint64 twice = m_server.bodyBytes() - m_content.size();
    EXPECT_LT(twice, 200'000) << "only what was on its way when it paused came again";
}

TEST_F(DownloadTest, whatIsCancelledLeavesNothing)
{
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        answer.dripBytes = 5000;
        return answer;
    });
    for (const bool paused : {false, true}) {
        const auto download = make({file(m_server)});
        download->start();
        ASSERT_TRUE(waitFor([&] { return download->status().bytesDone > 100'000; }));
        if (paused)
            download->pause();
        download->discard();
        EXPECT_TRUE(nothingIsLeft());
    }
}

TEST_F(DownloadTest, anotherProcessThatWasKilledIsContinued)
{
    m_server.setHandler([this](const ServerRequest &request) {
        ServerAnswer answer = fileAnswer(request, m_content);
        answer.dripBytes = 2000;
        return answer;
    });
    const RemoteFile wanted = file(m_server);
    QProcess other;
    other.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--role"), QStringLiteral("downloader"), wanted.url.toString(),
                 m_folder, QString::number(wanted.size), QString::fromLatin1(wanted.digest.hex)});
    ASSERT_TRUE(other.waitForStarted());
    ASSERT_TRUE(waitFor([&] { return m_server.bodyBytes() > 350'000; }));
    other.kill();
    ASSERT_TRUE(other.waitForFinished());
    EXPECT_TRUE(nothingIsNamed());
    const qint64 before = m_server.bodyBytes();
    m_server.setHandler(
        [this](const ServerRequest &request) { return fileAnswer(request, m_content); });
    EXPECT_EQ(load(wanted), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_LT(m_server.bodyBytes() - before, m_content.size() - 100'000) << "it went on";
}

TEST_F(DownloadTest, severalFilesKeepTheirFolders)
{
    QList<RemoteFile> files;
    for (const char *name : {"a.bin", "sub/b.bin", "sub/c.bin"})
        files.append(file(m_server, true, QString::fromLatin1(name)));
    // As git calls it.
    files[1].digest = {
        ExpectedDigest::Kind::GitBlob,
        QCryptographicHash::hash("blob " + QByteArray::number(m_content.size()) + '\0' + m_content,
                                 QCryptographicHash::Sha1)
            .toHex()};
    const auto download = make(files);
    EXPECT_EQ(load(*download), QString());
    for (const RemoteFile &each : files)
        EXPECT_EQ(stored(each.name), m_content);
    const DownloadStatus status = download->status();
    EXPECT_EQ(status.state, DownloadStatus::State::Done);
    EXPECT_EQ(status.filesDone, 3);
    EXPECT_EQ(status.bytesDone, 3 * m_content.size());
    EXPECT_EQ(status.bytesTotal, 3 * m_content.size());

    const qint64 before = m_server.bodyBytes();
    EXPECT_EQ(load(*make(files)), QString()) << "all are there already, and right";
    EXPECT_EQ(m_server.bodyBytes(), before);
}

TEST_F(DownloadTest, aFileOfThatNameIsNotTouched)
{
    QFile other(m_folder + QStringLiteral("/model.bin"));
    ASSERT_TRUE(other.open(QIODevice::WriteOnly));
    other.write("something else");
    other.close();
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("another file")));
    EXPECT_TRUE(load(file(m_server, false)).contains(QLatin1String("another file")));
    EXPECT_EQ(stored(), "something else");
    // As long as the right one.
    ASSERT_TRUE(other.open(QIODevice::WriteOnly));
    other.write(QByteArray(m_content.size(), 'x'));
    other.close();
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("another file")));
    EXPECT_EQ(stored(), QByteArray(m_content.size(), 'x'));
    // Nothing says that it is the right one: its size alone does not.
    RemoteFile unchecked = file(m_server);
    unchecked.digest = {};
    EXPECT_TRUE(load(unchecked).contains(QLatin1String("another file")));
    EXPECT_EQ(stored(), QByteArray(m_content.size(), 'x'));
    ASSERT_TRUE(QFile::remove(m_folder + QStringLiteral("/model.bin")));
    ASSERT_TRUE(QDir().mkpath(m_folder + QStringLiteral("/model.bin")));
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("another file")));
}

TEST_F(DownloadTest, aFullDiskIsSaidAndForgiven)
{
    const auto download = make({file(m_server)});
    {
        const NoSpace full(300'000);
        const QString problem = load(*download);
        EXPECT_FALSE(problem.isEmpty());
        EXPECT_EQ(download->status().state, DownloadStatus::State::Failed);
        EXPECT_EQ(download->status().problem, problem);
    }
    EXPECT_TRUE(nothingIsNamed());
    const qint64 before = m_server.bodyBytes();
    EXPECT_EQ(load(*download), QString());
    EXPECT_EQ(stored(), m_content);
    EXPECT_LT(m_server.bodyBytes() - before, m_content.size() - 100'000) << "it went on";
}

TEST_F(DownloadTest, aDiskThatIsTooFullIsNotFilled)
{
    m_policy.reserveBytes = qint64(1) << 60;
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("too full")));
    EXPECT_EQ(m_server.requests().size(), 0) << "before anything was asked";
    EXPECT_TRUE(load(file(m_server, false)).contains(QLatin1String("too full")));
    EXPECT_TRUE(nothingIsNamed());
}

TEST_F(DownloadTest, aFolderThatCannotBeWrittenIsSaid)
{
    m_folder = QStringLiteral("/proc/nowhere");
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("cannot be made")));
}

TEST_F(DownloadTest, linksInTheWayAreNotFollowed)
{
    const QString elsewhere = m_home.path() + QStringLiteral("/elsewhere");
    ASSERT_TRUE(QFile::link(elsewhere, m_folder + QStringLiteral("/model.bin")));
    EXPECT_TRUE(load(file(m_server)).contains(QLatin1String("a link")));
    EXPECT_FALSE(QFileInfo::exists(elsewhere));
}

} // namespace
} // namespace fireside::test
