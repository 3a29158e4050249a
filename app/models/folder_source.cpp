#include "app/models/folder_walk.h"
#include "app/models/library_texts.h"
#include "app/models/model_files.h"
#include "app/models/model_source.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace fireside {
bool canEnter(const QString &folder, ModelSink &sink)
{
    if (folder.isEmpty())
        return false;
    const QByteArray name = QFile::encodeName(folder);
    if (::access(name.constData(), R_OK | X_OK) == 0)
        return QFileInfo(folder).isDir();
    if (errno != ENOENT && errno != ENOTDIR)
        sink.problem(folder, QString::fromLocal8Bit(std::strerror(errno)));
    return false;
}

QByteArray readSmallFile(const QString &path, ModelSink &sink, qint64 limit)
{
    if (QFileInfo::exists(path) &&
        !QFileInfo(path).isFile()) { // opening a pipe would wait for ever
        sink.problem(path, LibraryTexts::tr("not a file"));
        return {};
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        sink.problem(path, file.errorString());
        return {};
    }
    if (file.size() > limit) {
        sink.problem(path, LibraryTexts::tr("too large to be what it should be"));
        return {};
    }
    return file.read(limit);
}

void scanFolder(const QString &root, const QString &source, ModelSink &sink)
{
    if (!canEnter(root, sink))
        return;
    walkFolders(root, sink, [&](const FolderFiles &folder) {
        for (FoundModel &model : modelsIn(folder)) {
            model.source = source;
            sink.found(model);
        }
    });
}

} // namespace fireside
