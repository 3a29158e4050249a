#include "app/runtime/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLocalSocket>
#include <QThread>

#include <unistd.h>

namespace fireside {
namespace {

constexpr int kPatienceMs = 2000;
constexpr qint64 kLongestRequest = 64 << 10; // bytes; a path, and nothing else, is expected

// Short, because a socket's path has about 100 bytes at most; the user's own runtime folder if
// there is one.
QString socketPath(const QString &dataFolder)
{
    const QByteArray hash =
        QCryptographicHash::hash(QFileInfo(dataFolder).absoluteFilePath().toUtf8(),
                                 QCryptographicHash::Sha256)
            .toHex()
            .left(16);
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    const QString folder =
        !runtime.isEmpty() && runtime.size() < 70 && QFileInfo(runtime).isWritable()
            ? runtime
            : QDir::tempPath();
    return QStringLiteral("%1/fireside-%2-%3")
        .arg(folder)
        .arg(getuid())
        .arg(QString::fromLatin1(hash));
}

} // namespace

SingleInstance::SingleInstance(const QString &dataFolder, QObject *parent)
    : QObject(parent)
    , m_folder(dataFolder)
    , m_socket(socketPath(dataFolder))
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::readRequests);
}

SingleInstance::~SingleInstance() = default;

bool SingleInstance::claim(const QString &modelPath)
{
    QDir().mkpath(m_folder);
    m_lock = std::make_unique<QLockFile>(QDir(m_folder).filePath(QStringLiteral("fireside.lock")));
    m_lock->setStaleLockTime(0); // only a dead process makes it stale, however long it ran
    QElapsedTimer timer;
    timer.start();
    while (true) {
        if (m_lock->tryLock(0)) {
            listen();
            return true;
        }
        // A folder without a lock (read-only) still has a socket to tell by.
        m_answered = tellFirst(modelPath);
        if (m_answered)
            return false;
        if (m_lock->error() != QLockFile::LockFailedError) {
            listen();
            return true;
        }
        // The first one is starting or ending at this moment.
        if (timer.elapsed() > kPatienceMs)
            break;
        QThread::msleep(50);
    }
    // It holds the folder but does not answer: two writers would be worse than none. The caller
    // ends.
    return false;
}

void SingleInstance::listen()
{
    QLocalServer::removeServer(m_socket); // of a program that was killed
    m_server.listen(m_socket);
}

bool SingleInstance::tellFirst(const QString &modelPath)
{
    QLocalSocket socket;
    socket.connectToServer(m_socket);
    if (!socket.waitForConnected(500))
        return false;
    const QString absolute =
        modelPath.isEmpty() ? QString() : QFileInfo(modelPath).absoluteFilePath();
    socket.write(absolute.toUtf8() + '\n');
    if (!socket.waitForBytesWritten(500))
        return false;
    // Closed by the other side once it was read.
    socket.waitForDisconnected(1000);
    return true;
}

void SingleInstance::readRequests()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto read = [this, socket] {
            if (socket->canReadLine()) {
                const QByteArray line = socket->readLine(kLongestRequest).trimmed();
                socket->disconnectFromServer();
                emit raiseRequested(QString::fromUtf8(line));
            } else if (socket->bytesAvailable() > kLongestRequest) {
                socket->abort();
            }
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        read();
    }
}

} // namespace fireside
