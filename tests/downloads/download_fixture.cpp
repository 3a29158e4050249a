#include "download_fixture.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QThread>

namespace fireside::test {

bool waitFor(const std::function<bool()> &condition)
{
    const QDeadlineTimer deadline(300'000);
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(1);
    }
    return true;
}

QByteArray randomBytes(qsizetype count, quint32 seed)
{
    QRandomGenerator random(seed);
    QByteArray bytes(count, '\0');
    for (char &byte : bytes)
        byte = static_cast<char>(random.generate());
    return bytes;
}

QByteArray sha256(const QByteArray &content)
{
    return QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex();
}

DownloadPolicy hastyPolicy()
{
    using std::chrono::milliseconds;
    DownloadPolicy policy;
    policy.partBytes = 100'000;
    policy.attempts = 4;
    policy.firstWait = milliseconds(2);
    policy.longestWait = milliseconds(20);
    policy.patience = milliseconds(20'000);
    policy.leastBytes = 1000;
    policy.reserveBytes = 0;
    policy.saveEvery = milliseconds(10);
    return policy;
}

DownloadFixture::DownloadFixture()
    : m_folder(m_home.path() + QStringLiteral("/models"))
{
    QDir().mkpath(m_folder);
}

RemoteFile DownloadFixture::file(const LyingServer &server, bool knownDigest,
                                 const QString &name) const
{
    RemoteFile file;
    file.url = server.url(QStringLiteral("/files/") + name);
    file.name = name;
    if (knownDigest) {
        file.size = m_content.size();
        file.digest = {ExpectedDigest::Kind::Sha256, sha256(m_content)};
    }
    return file;
}

std::unique_ptr<Download> DownloadFixture::make(const QList<RemoteFile> &files)
{
    return std::make_unique<Download>(
        m_gate, DownloadRequest{QStringLiteral("a model"), m_folder, files}, m_token, m_policy);
}

QString DownloadFixture::load(const RemoteFile &file)
{
    return load(*make({file}));
}

QString DownloadFixture::load(Download &download)
{
    bool over = false;
    QString problem;
    const auto ended = QObject::connect(&download, &Download::finished,
                                        [&](const QString &why) { over = true, problem = why; });
    const auto noted = QObject::connect(&download, &Download::changed, [&] {
        if (const QString note = download.status().note; !note.isEmpty())
            m_note = note;
    });
    download.start();
    EXPECT_TRUE(waitFor([&] { return over; }));
    QObject::disconnect(ended);
    QObject::disconnect(noted);
    return problem;
}

QByteArray DownloadFixture::stored(const QString &name) const
{
    QFile file(m_folder + QLatin1Char('/') + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no such file");
}

bool DownloadFixture::nothingIsNamed() const
{
    return QDir(m_folder).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot) &&
           QDir(m_home.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size() == 1;
}

bool DownloadFixture::nothingIsLeft() const
{
    return QDir(m_folder).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
}

} // namespace fireside::test
