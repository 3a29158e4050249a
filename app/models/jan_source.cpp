#include "app/models/folder_walk.h"
#include "app/models/model_files.h"
#include "app/models/model_source.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace fireside {
namespace {

const QString kJan = QStringLiteral("Jan");

// One `key: value` line of model.yml; the file is flat where it matters.
QString field(const QByteArray &yaml, const QString &key)
{
    const QRegularExpression line(QStringLiteral("^%1:\\s*(.+?)\\s*$").arg(key),
                                  QRegularExpression::MultilineOption);
    QString value = line.match(QString::fromUtf8(yaml)).captured(1);
    for (const char16_t quote : {u'"', u'\''}) {
        if (value.size() >= 2 && value.startsWith(QChar(quote)) && value.endsWith(QChar(quote)))
            value = value.mid(1, value.size() - 2);
    }
    return value;
}

// A model that Jan imported lies wherever the user had it: only model.yml knows.
void readModelFile(const QString &path, const QString &data, ModelSink &sink)
{
    const QByteArray yaml = readSmallFile(path, sink);
    const QString target = field(yaml, QStringLiteral("model_path"));
    if (!target.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ||
        isSidecar(QFileInfo(target).fileName()))
        return;
    const QFileInfo file(QDir(data).absoluteFilePath(target));
    if (!file.isFile())
        return;
    FoundModel model;
    model.source = kJan;
    model.path = file.absoluteFilePath();
    model.name = field(yaml, QStringLiteral("name"));
    model.bytes = file.size();
    sink.found(model);
}

} // namespace

void scanJan(ModelSink &sink)
{
    QStringList folders{QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation),
                        QDir::homePath() + QStringLiteral("/.local/share")};
    folders.removeDuplicates();
    for (const QString &share : folders) {
        const QString data = share + QStringLiteral("/Jan/data");
        if (!canEnter(data, sink))
            continue;
        walkFolders(data, sink, [&](const FolderFiles &folder) {
            for (const FolderFiles::File &file : folder.files) {
                if (file.path.filename() == "model.yml")
                    readModelFile(QFile::decodeName(file.path.c_str()), data, sink);
            }
            for (FoundModel &model : modelsIn(folder)) {
                model.source = kJan;
                sink.found(model);
            }
        });
    }
}

} // namespace fireside
