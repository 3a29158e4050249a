#include "app/runtime/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLocalSocket>
#include <QSysInfo>
#include <QThread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
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

enum class Leftover { None, Removed, Stuck };

// Removes the lock file of a program that is gone; a running one keeps it locked. QLockFile does
// that by itself, but needs room on the disk for it and a process id in the file, which a program
// killed while the disk was full did not write. `patient`: it had time to write one. Stuck: the
// folder is read-only.
Leftover clearLeftover(const QLockFile &lock, bool patient)
{
    qint64 pid = 0;
    QString host, program;
    const bool readable = lock.getLockInfo(&pid, &host, &program);
    // Whether another computer's program still runs cannot be told from here.
    if (readable ? !host.isEmpty() && host != QSysInfo::machineHostName() : !patient)
        return Leftover::None;
    const QByteArray path = QFile::encodeName(lock.fileName());
    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return Leftover::None;
    struct stat opened = {}, named = {};
    Leftover result = Leftover::None;
    // Another start may have removed this file, and made its own, since it was opened.
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &opened) == 0 &&
        ::stat(path.constData(), &named) == 0 && opened.st_ino == named.st_ino &&
        opened.st_dev == named.st_dev)
        result = ::unlink(path.constData()) == 0 ? Leftover::Removed : Leftover::Stuck;
    ::close(file);
    return result;
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
        const bool locked = m_lock->tryLock(0);
        // Also with the lock: a folder that was read-only or full when the first one started had no
        // room for its own.
        m_answered = tellFirst(modelPath);
        if (m_answered) {
            m_lock->unlock();
            return false;
        }
        if (locked || m_lock->error() != QLockFile::LockFailedError) {
            listen();
            return true;
        }
        const bool patient = timer.elapsed() > kPatienceMs;
        const Leftover leftover = clearLeftover(*m_lock, patient);
        if (leftover == Leftover::Removed)
            continue;
        if (leftover == Leftover::Stuck) {
            listen();
            return true;
        }
        // The first one is starting or ending at this moment.
        if (patient)
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
