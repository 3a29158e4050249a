#include "app/exchange/chat_archive.h"

#include "app/exchange/chat_formats.h"

#include <QFile>
#include <QRegularExpression>

#include <zip.h>

#include <algorithm>
#include <memory>

namespace fireside::formats {
namespace {

struct Closed
{
    void operator()(zip_t *archive) const { zip_discard(archive); }
    void operator()(zip_file_t *file) const { zip_fclose(file); }
};

bool holdsChats(const QString &name)
{
    static const QRegularExpression pattern(
        QStringLiteral("^(?:[^/]{1,200}/)?conversations(?:-\\d{1,6})?\\.json$"));
    return pattern.match(name).hasMatch();
}

QByteArray unpacked(zip_t *archive, zip_uint64_t index, qint64 limit)
{
    constexpr qsizetype kPiece = 1 << 20;
    const std::unique_ptr<zip_file_t, Closed> file(zip_fopen_index(archive, index, 0));
    if (!file)
        throw ChatFileError(Texts::tr("the archive cannot be unpacked: %1")
                                .arg(QString::fromUtf8(zip_strerror(archive))));
    QByteArray content;
    for (;;) {
        const qsizetype before = content.size();
        content.resize(before + kPiece);
        const zip_int64_t read = zip_fread(file.get(), content.data() + before, kPiece);
        if (read < 0)
            throw ChatFileError(Texts::tr("the archive is damaged: %1")
                                    .arg(QString::fromUtf8(zip_file_strerror(file.get()))));
        content.resize(before + read);
        if (content.size() > limit)
            throw ChatFileError(
                Texts::tr("what the archive unpacks to is too large (more than %1 bytes)")
                    .arg(limit));
        if (read == 0)
            return content;
    }
}

} // namespace

bool isArchive(const QByteArray &head)
{
    return head.startsWith("PK\x03\x04");
}

QList<ArchivedChats> chatsInArchive(const QString &path, qint64 limit)
{
    int problem = 0;
    const std::unique_ptr<zip_t, Closed> archive(
        zip_open(QFile::encodeName(path).constData(), ZIP_RDONLY, &problem));
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, problem);
        const QString text = QString::fromUtf8(zip_error_strerror(&error));
        zip_error_fini(&error);
        throw ChatFileError(Texts::tr("the archive is damaged: %1").arg(text));
    }
    QList<ArchivedChats> lists;
    const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < entries; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        const char *name = zip_get_name(archive.get(), index, 0);
        if (!name || !holdsChats(QString::fromUtf8(name)))
            continue;
        ArchivedChats list{QString::fromUtf8(name), {}, {}};
        try {
            list.json = unpacked(archive.get(), index, limit);
        } catch (const ChatFileError &error) {
            list.problem = error.text();
        }
        limit -= list.json.size();
        lists.append(list);
    }
    const bool none = std::all_of(lists.cbegin(), lists.cend(), [](const ArchivedChats &list) {
        return !list.problem.isEmpty();
    });
    if (!lists.isEmpty() && none)
        throw ChatFileError(lists.first().problem);
    if (lists.isEmpty())
        throw ChatFileError(Texts::tr("the archive holds no conversations.json"));
    return lists;
}

} // namespace fireside::formats
