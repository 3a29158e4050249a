#include "app/models/model_library.h"

#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>

namespace fireside {
namespace {

QString findStarter()
{
    const QStringList folders{QCoreApplication::applicationDirPath() +
                                  QStringLiteral("/../share/fireside/models"),
                              QStringLiteral(FIRESIDE_SOURCE_MODELS)};
    for (const QString &folder : folders) {
        if (folder.isEmpty()) // not known in packages
            continue;
        const QStringList names = QDir(folder).entryList(
            {QStringLiteral("fireside-starter-*.gguf")}, QDir::Files, QDir::Name);
        if (!names.isEmpty())
            return QDir::cleanPath(folder + QLatin1Char('/') + names.first());
    }
    return {};
}

} // namespace

QString ModelLibrary::starterModelPath()
{
    static const QString path = findStarter();
    return path;
}

QString ModelLibrary::firesideFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/fireside/models");
}

} // namespace fireside
