#include "app/models/folder_walk.h"
#include "app/models/library_texts.h"
#include "app/models/model_source.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMutex>
#include <QMutexLocker>
#include <QRegularExpression>

namespace fireside {
namespace {

constexpr qint64 kMaxManifest = 1 << 20; // bytes

QStringList modelFolders()
{
    QStringList folders;
    if (const QString own = qEnvironmentVariable("OLLAMA_MODELS"); !own.isEmpty())
        folders.append(own);
    folders.append(QDir::homePath() + QStringLiteral("/.ollama/models"));
    folders.append(QStringLiteral("/usr/share/ollama/.ollama/models"));
    folders.removeDuplicates();
    return folders;
}

// manifests/<registry>/<namespace>/<model>/<tag>, said as Ollama's own commands say it.
QString modelName(const QString &manifests, const QString &manifest)
{
    QStringList parts = QDir(manifests).relativeFilePath(manifest).split(QLatin1Char('/'));
    const QString tag = parts.takeLast();
    if (!parts.isEmpty() && parts.first() == QLatin1String("registry.ollama.ai"))
        parts.removeFirst();
    if (!parts.isEmpty() && parts.first() == QLatin1String("library"))
        parts.removeFirst();
    return parts.join(QLatin1Char('/')) + QLatin1Char(':') + tag;
}

// Empty when the manifest names no weights, or names them in a way that is no digest.
QString weightsDigest(const QByteArray &manifest)
{
    static const QRegularExpression digest(QStringLiteral("^sha256[:-][0-9a-f]{64}$"));
    const QJsonObject json = QJsonDocument::fromJson(manifest).object();
    for (const QJsonValue &layer : json[QLatin1String("layers")].toArray()) {
        if (layer[QLatin1String("mediaType")].toString() !=
            QLatin1String("application/vnd.ollama.image.model"))
            continue;
        const QString name = layer[QLatin1String("digest")].toString();
        if (digest.match(name).hasMatch())
            return name;
    }
    return {};
}

void readManifest(const QString &root, const QString &path, const QString &name, ModelSink &sink)
{
    QString digest = weightsDigest(readSmallFile(path, sink));
    if (digest.isEmpty())
        return; // an embedding adapter, a remote model, or no manifest at all
    FoundModel model;
    model.source = QStringLiteral("Ollama");
    model.name = name;
    model.path =
        root + QStringLiteral("/blobs/") + digest.replace(QLatin1Char(':'), QLatin1Char('-'));
    const QFileInfo blob(model.path);
    model.bytes = blob.size();
    if (!blob.exists())
        model.problem =
            LibraryTexts::tr("its file %1 is missing or not accessible").arg(model.path);
    else if (!QFile(model.path).open(QIODevice::ReadOnly))
        model.problem =
            LibraryTexts::tr("its file %1 cannot be read: permission denied").arg(model.path);
    sink.found(model);
}

} // namespace

QString ollamaName(const QString &path)
{
    const QFileInfo blob(path);
    QDir root = blob.dir();
    if (root.dirName() != QLatin1String("blobs") || !root.cdUp() ||
        !blob.fileName().startsWith(QLatin1String("sha256")))
        return {};
    // Asked again and again while a model loads, from the window's thread and the engine's.
    static QMutex mutex;
    static QHash<QString, QString> known; // by path
    const QMutexLocker lock(&mutex);
    if (const auto name = known.constFind(path); name != known.constEnd())
        return *name;
    const QString manifests = root.filePath(QStringLiteral("manifests"));
    QDirIterator files(manifests, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile manifest(files.next());
        if (!manifest.open(QIODevice::ReadOnly) || manifest.size() > kMaxManifest)
            continue;
        QString digest = weightsDigest(manifest.readAll());
        if (digest.replace(QLatin1Char(':'), QLatin1Char('-')) == blob.fileName())
            return *known.insert(path, modelName(manifests, manifest.fileName()));
    }
    return {};
}

void scanOllama(ModelSink &sink)
{
    for (const QString &root : modelFolders()) {
        const QString manifests = root + QStringLiteral("/manifests");
        if (!canEnter(root, sink) || !canEnter(manifests, sink))
            continue;
        walkFolders(manifests, sink, [&](const FolderFiles &folder) {
            for (const FolderFiles::File &file : folder.files) {
                const QString path = QFile::decodeName(file.path.c_str());
                if (!sink.cancelled())
                    readManifest(root, path, modelName(manifests, path), sink);
            }
        });
    }
}

} // namespace fireside
