#include "app/models/model_source.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

namespace fireside {
namespace {

// LM Studio lets its user move the models; its settings then name the folder.
QString chosenFolder(const QString &home, ModelSink &sink)
{
    const QString settings = home + QStringLiteral("/settings.json");
    if (!QFile::exists(settings))
        return {};
    const QJsonObject json = QJsonDocument::fromJson(readSmallFile(settings, sink)).object();
    return json[QLatin1String("downloadsFolder")].toString();
}

} // namespace

void scanLmStudio(ModelSink &sink)
{
    QStringList homes{QDir::homePath() + QStringLiteral("/.lmstudio"),
                      QDir::homePath() + QStringLiteral("/.cache/lm-studio")};
    const QString pointer = QDir::homePath() + QStringLiteral("/.lmstudio-home-pointer");
    if (QFile::exists(pointer))
        homes.prepend(QString::fromUtf8(readSmallFile(pointer, sink, 4096)).trimmed());
    QStringList folders;
    for (const QString &home : homes) {
        if (!canEnter(home, sink))
            continue;
        folders.append(home + QStringLiteral("/models"));
        if (const QString chosen = chosenFolder(home, sink); !chosen.isEmpty())
            folders.append(chosen);
    }
    folders.removeDuplicates();
    for (const QString &folder : folders)
        scanFolder(folder, QStringLiteral("LM Studio"), sink);
}

} // namespace fireside
