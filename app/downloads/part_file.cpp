#include "app/downloads/part_file.h"

#include "app/downloads/download_texts.h"
#include "app/files/write_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace fireside {
namespace {

constexpr int kStateVersion = 1;

QString systemProblem(int error)
{
    if (error == ENOSPC || error == EDQUOT)
        return DownloadTexts::tr("the disk is full");
    if (error == EFBIG)
        return DownloadTexts::tr("files of this size cannot be written there");
    return QString::fromLocal8Bit(std::strerror(error));
}

/// The same for the same file in the same place only.
QString partName(const RemoteFile &file)
{
    const QByteArray key =
        file.name.toUtf8() + '\0' + file.url.toEncoded(QUrl::RemoveQuery | QUrl::RemoveFragment);
    return QString::fromLatin1(
        QCryptographicHash::hash(key, QCryptographicHash::Sha256).toHex().left(24));
}

// JSON's numbers are doubles, which hold sizes up to 2^53.
qint64 toBytes(const QJsonValue &value)
{
    return value.isDouble() ? static_cast<qint64>(value.toDouble()) : -1;
}

QString syncFolder(const QString &path)
{
    const int folder =
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return systemProblem(errno);
    const bool synced = ::fsync(folder) == 0 || errno == EINVAL; // some file systems cannot
    const int error = errno;
    ::close(folder);
    return synced ? QString() : systemProblem(error);
}

/// Never over another file.
QString renameTo(const QString &from, const QString &to)
{
    const QByteArray source = QFile::encodeName(from), target = QFile::encodeName(to);
    if (::renameat2(AT_FDCWD, source.constData(), AT_FDCWD, target.constData(), RENAME_NOREPLACE) ==
        0)
        return {};
    if (errno != EINVAL && errno != ENOSYS)
        return errno == EEXIST ? DownloadTexts::tr("another file has its name by now")
                               : systemProblem(errno);
    // The file system has no such rename: a link is as careful.
    if (::link(source.constData(), target.constData()) == 0) {
        ::unlink(source.constData());
        return {};
    }
    if (errno == EEXIST || QFileInfo::exists(to))
        return DownloadTexts::tr("another file has its name by now");
    return std::rename(source.constData(), target.constData()) == 0 ? QString()
                                                                    : systemProblem(errno);
}

} // namespace

QString partsFolder(const QString &folder)
{
    return folder + QStringLiteral("/.fireside-parts");
}

PartFile::PartFile(const QString &folder, const RemoteFile &file)
    : m_file(file)
    , m_target(folder + QLatin1Char('/') + file.name)
    , m_folder(partsFolder(folder))
    , m_path(m_folder + QLatin1Char('/') + partName(file) + QStringLiteral(".part"))
    , m_statePath(m_folder + QLatin1Char('/') + partName(file) + QStringLiteral(".json"))
    , m_size(file.size)
{}

PartFile::~PartFile()
{
    close();
}

void PartFile::close()
{
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
}

QString PartFile::open()
{
    if (m_descriptor >= 0)
        return {};
    if (!QDir().mkpath(m_folder))
        return DownloadTexts::tr("the folder %1 cannot be made").arg(m_folder);
    m_descriptor = ::open(QFile::encodeName(m_path).constData(),
                          O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (m_descriptor < 0)
        return systemProblem(errno);
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0) {
        close();
        return DownloadTexts::tr("another program is downloading it already");
    }
    m_done.clear();
    m_size = m_file.size;
    m_validator.clear();
    readState();
    // What no state speaks for counts as nothing.
    if (m_done.bytes() == 0 && ::ftruncate(m_descriptor, 0) != 0)
        return systemProblem(errno);
    return {};
}

void PartFile::readState()
{
    QFile state(m_statePath);
    struct stat info
    {};
    if (!state.open(QIODevice::ReadOnly) || ::fstat(m_descriptor, &info) != 0)
        return;
    constexpr qint64 kLongest = 4 << 20;
    const QJsonObject json = QJsonDocument::fromJson(state.read(kLongest)).object();
    const qint64 size = toBytes(json[QLatin1String("size")]);
    const QByteArray digest = json[QLatin1String("digest")].toString().toLatin1();
    const QByteArray validator = json[QLatin1String("validator")].toString().toLatin1();
    if (json[QLatin1String("version")].toInt() != kStateVersion || digest != m_file.digest.hex ||
        (m_file.size >= 0 && size != m_file.size))
        return;
    // Without either nobody could tell whether the rest will belong to the same file.
    if (size < 0 || (validator.isEmpty() && digest.isEmpty()))
        return;
    for (const QJsonValue &value : json[QLatin1String("done")].toArray()) {
        const ByteRange range{toBytes(value[0]), toBytes(value[1])};
        if (range.begin >= 0 && range.end <= size && range.end <= info.st_size)
            m_done.add(range);
    }
    m_size = size;
    m_validator = validator;
}

QString PartFile::write(qint64 at, const QByteArray &data)
{
    qint64 written = 0;
    while (written < data.size()) {
        const ssize_t n = ::pwrite(m_descriptor, data.constData() + written,
                                   static_cast<std::size_t>(data.size() - written), at + written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return systemProblem(n == 0 ? ENOSPC : errno);
        m_done.add({at + written, at + written + n});
        written += n;
    }
    return {};
}

QString PartFile::save()
{
    if (::fdatasync(m_descriptor) != 0)
        return systemProblem(errno);
    QJsonArray done;
    for (const ByteRange &range : m_done.ranges())
        done.append(QJsonArray{static_cast<double>(range.begin), static_cast<double>(range.end)});
    const QJsonObject json{
        {QStringLiteral("version"), kStateVersion},
        {QStringLiteral("name"), m_file.name},
        {QStringLiteral("size"), static_cast<double>(m_size)},
        {QStringLiteral("digest"), QString::fromLatin1(m_file.digest.hex)},
        {QStringLiteral("validator"), QString::fromLatin1(m_validator)},
        {QStringLiteral("done"), done},
    };
    QSaveFile state(m_statePath);
    if (!state.open(QIODevice::WriteOnly) || state.write(QJsonDocument(json).toJson()) < 0 ||
        !commitAll(state))
        return state.errorString();
    return {};
}

QString PartFile::restart()
{
    m_done.clear();
    m_size = m_file.size;
    m_validator.clear();
    if (::ftruncate(m_descriptor, 0) != 0)
        return systemProblem(errno);
    QFile::remove(m_statePath);
    return {};
}

QString PartFile::finish()
{
    // What an earlier, longer version left behind its end.
    if (::ftruncate(m_descriptor, m_size) != 0 || ::fsync(m_descriptor) != 0)
        return systemProblem(errno);
    const QString folder = QFileInfo(m_target).absolutePath();
    if (!QDir().mkpath(folder))
        return DownloadTexts::tr("the folder %1 cannot be made").arg(folder);
    if (const QString problem = renameTo(m_path, m_target); !problem.isEmpty())
        return problem;
    close();
    const QString problem = syncFolder(folder);
    discard();
    return problem;
}

void PartFile::discard()
{
    if (m_descriptor >= 0)
        QFile::remove(m_path);
    QFile::remove(m_statePath);
    close();
    QDir().rmdir(m_folder); // only when it is empty
}

qint64 PartFile::freeBytes() const
{
    struct statvfs info
    {};
    if (::statvfs(QFile::encodeName(m_folder).constData(), &info) != 0)
        return -1;
    return static_cast<qint64>(info.f_bavail) * static_cast<qint64>(info.f_frsize);
}

} // namespace fireside
