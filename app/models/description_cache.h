#pragma once
#include "app/models/file_stamp.h"
#include "engine/model/describe.h"

#include <QByteArray>
#include <QHash>
#include <QSet>
#include <QString>

#include <mutex>
#include <optional>

namespace fireside {

/// What tells whether a file is still the one that was read.
struct FileIdentity
{
    QString path;
    qint64 bytes = 0, modified = 0; // nanoseconds since 1970
    quint64 inode = 0;
    bool operator==(const FileIdentity &) const = default;
};
/// Of a file, or of a folder's config.json: a folder's own time says when files came and went, not
/// when they were written. `bytes` of a folder are told.
FileIdentity identityOf(const QString &path, qint64 bytes = -1);
/// The same of a file that was looked at already.
FileIdentity identityOf(const QString &path, const FileStamp &stamp);

/// What was read of model files that have not changed since. It outlives the program, in
/// $XDG_CACHE_HOME/fireside/models.cache, which may be deleted. For several threads.
class DescriptionCache
{
public:
    struct Key
    {
        FileIdentity file;
        int context = 0;
        DType kvType = DType::F16;
        const Recipe *quantize = nullptr; // with one nothing is stored
        bool operator==(const Key &) const = default;
    };
    std::optional<ModelSummary> find(const Key &key) const;
    void insert(const Key &key, const ModelSummary &summary);
    /// A digest of a file's ends, and behind it one of its samples where that was needed.
    QByteArray findContent(const FileIdentity &file) const; // empty: not known
    void insertContent(const FileIdentity &file, const QByteArray &digest);

    /// Reads what was stored, the first time.
    void load();
    /// Stores what is known of these paths, if anything changed, and forgets the others. Where it
    /// cannot be stored, the next start reads the files again.
    void save(const QSet<QString> &paths);

private:
    struct Description
    {
        Key key;
        ModelSummary summary;
    };
    struct Content
    {
        FileIdentity file;
        QByteArray digest;
    };
    bool readStored(const QByteArray &bytes);
    QByteArray toStore() const;

    mutable std::mutex m_mutex;
    QHash<QString, Description> m_known; // by path
    QHash<QString, Content> m_contents;
    bool m_loaded = false, m_changed = false;
};

} // namespace fireside
