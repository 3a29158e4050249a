#include "app/models/folder_walk.h"
#include "app/models/model_files.h"
#include "app/models/model_source.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace fireside {
namespace {

const QString kHuggingFace = QStringLiteral("Hugging Face");

QStringList hubFolders()
{
    QStringList folders;
    if (const QString hub = qEnvironmentVariable("HF_HUB_CACHE"); !hub.isEmpty())
        folders.append(hub);
    if (const QString home = qEnvironmentVariable("HF_HOME"); !home.isEmpty())
        folders.append(home + QStringLiteral("/hub"));
    folders.append(QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
                   QStringLiteral("/huggingface/hub"));
    folders.append(QDir::homePath() + QStringLiteral("/.cache/huggingface/hub"));
    folders.removeDuplicates();
    return folders;
}

// "models--org--repo" is org/repo; a repository's own name may contain the separator.
QString repositoryName(const QString &folder)
{
    QStringList parts = folder.split(QStringLiteral("--"));
    parts.removeFirst();
    if (parts.size() < 2)
        return parts.join(QString());
    const QString organisation = parts.takeFirst();
    return organisation + QLatin1Char('/') + parts.join(QStringLiteral("--"));
}

void scanRepository(const QString &folder, const QString &name, ModelSink &sink)
{
    const QString snapshots = folder + QStringLiteral("/snapshots");
    if (!canEnter(snapshots, sink))
        return;
    walkFolders(snapshots, sink, [&](const FolderFiles &files) {
        for (FoundModel &model : modelsIn(files)) {
            model.source = kHuggingFace;
            // A GGUF says its own name; a folder is named after a revision.
            if (QFileInfo(model.path).isDir())
                model.name = name;
            sink.found(model);
        }
    });
}

} // namespace

void scanHuggingFace(ModelSink &sink)
{
    for (const QString &hub : hubFolders()) {
        if (!canEnter(hub, sink))
            continue;
        const QStringList repositories =
            QDir(hub).entryList({QStringLiteral("models--*")}, QDir::Dirs, QDir::Name);
        for (const QString &repository : repositories) {
            if (sink.cancelled())
                return;
            scanRepository(hub + QLatin1Char('/') + repository, repositoryName(repository), sink);
        }
    }
}

} // namespace fireside
