#include "app/models/description_cache.h"

#include "app/files/write_file.h"
#include "app/models/summary_stream.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

#include <utility>

#include <sys/stat.h>

namespace fireside {
namespace {

constexpr char kMagic[] = "Fireside models 3\n";
constexpr qint64 kMostStored = qint64(512) << 20;
constexpr int kDigestBytes = 32;

QString storePath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
           QStringLiteral("/fireside/models.cache");
}

QByteArray digestOf(const QByteArray &bytes)
{
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

QDataStream &operator<<(QDataStream &out, const FileIdentity &file)
{
    return out << file.path << file.bytes << file.modified << file.inode;
}

QDataStream &operator>>(QDataStream &in, FileIdentity &file)
{
    return in >> file.path >> file.bytes >> file.modified >> file.inode;
}

} // namespace

FileIdentity identityOf(const QString &path, qint64 bytes)
{
    FileIdentity identity{path, bytes, 0, 0};
    struct stat info
    {};
    if (::stat(QFile::encodeName(path).constData(), &info) != 0)
        return identity;
    if (S_ISDIR(info.st_mode))
        ::stat(QFile::encodeName(path + QStringLiteral("/config.json")).constData(), &info);
    else
        identity.bytes = info.st_size;
    const FileStamp stamp = FileStamp::of(info);
    identity.modified = stamp.modified;
    identity.inode = stamp.inode;
    return identity;
}

FileIdentity identityOf(const QString &path, const FileStamp &stamp)
{
    return {path, stamp.bytes, stamp.modified, stamp.inode};
}

std::optional<ModelSummary> DescriptionCache::find(const Key &key) const
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_known.constFind(key.file.path);
    if (known == m_known.constEnd() || known->key != key)
        return std::nullopt;
    return known->summary;
}

void DescriptionCache::insert(const Key &key, const ModelSummary &summary)
{
    const std::lock_guard lock(m_mutex);
    m_known.insert(key.file.path, {key, summary});
    m_changed = true;
}

QByteArray DescriptionCache::findContent(const FileIdentity &file) const
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_contents.constFind(file.path);
    return known == m_contents.constEnd() || known->file != file ? QByteArray() : known->digest;
}

void DescriptionCache::insertContent(const FileIdentity &file, const QByteArray &digest)
{
    const std::lock_guard lock(m_mutex);
    m_contents.insert(file.path, {file, digest});
    m_changed = true;
}

void DescriptionCache::load()
{
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_loaded, true))
        return;
    QFile file(storePath());
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMostStored)
        return;
    const QByteArray stored = file.readAll();
    const qsizetype start = sizeof(kMagic) - 1 + kDigestBytes;
    if (stored.size() <= start || !stored.startsWith(kMagic))
        return;
    const QByteArray packed = stored.mid(start);
    if (digestOf(packed) != stored.mid(sizeof(kMagic) - 1, kDigestBytes) ||
        !readStored(qUncompress(packed))) {
        m_known.clear();
        m_contents.clear();
    }
}

bool DescriptionCache::readStored(const QByteArray &bytes)
{
    QDataStream in(bytes);
    quint32 layout = 0, descriptions = 0, contents = 0;
    in >> layout;
    if (layout != summaryLayout())
        return false;
    in >> descriptions;
    for (quint32 i = 0; i < descriptions && in.status() == QDataStream::Ok; ++i) {
        Description one;
        qint32 context = 0, kvType = 0;
        in >> one.key.file >> context >> kvType;
        one.key.context = context;
        one.key.kvType = static_cast<DType>(kvType);
        one.summary = readSummary(in);
        one.summary.path = QFile::encodeName(one.key.file.path).toStdString();
        m_known.insert(one.key.file.path, one);
    }
    in >> contents;
    for (quint32 i = 0; i < contents && in.status() == QDataStream::Ok; ++i) {
        Content one;
        in >> one.file >> one.digest;
        m_contents.insert(one.file.path, one);
    }
    return in.status() == QDataStream::Ok;
}

QByteArray DescriptionCache::toStore() const
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    QList<const Description *> kept;
    for (const Description &one : m_known) {
        if (!one.key.quantize)
            kept.append(&one);
    }
    out << summaryLayout() << static_cast<quint32>(kept.size());
    for (const Description *one : std::as_const(kept)) {
        out << one->key.file << qint32(one->key.context) << static_cast<qint32>(one->key.kvType);
        write(out, one->summary);
    }
    out << static_cast<quint32>(m_contents.size());
    for (const Content &one : m_contents)
        out << one.file << one.digest;
    return bytes;
}

void DescriptionCache::save(const QSet<QString> &paths)
{
    constexpr int kQuick = 1; // of zlib's levels
    QByteArray bytes;
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_changed, false))
            return;
        const auto gone = [&](auto it) { return !paths.contains(it.key()); };
        m_known.removeIf(gone);
        m_contents.removeIf(gone);
        bytes = toStore();
    }
    const QByteArray packed = qCompress(bytes, kQuick);
    QDir().mkpath(QFileInfo(storePath()).path());
    QSaveFile file(storePath());
    if (file.open(QIODevice::WriteOnly) &&
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner)) {
        file.write(kMagic + digestOf(packed) + packed);
        commitAll(file);
    }
}

} // namespace fireside
