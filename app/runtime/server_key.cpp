#include "app/runtime/server_key.h"

#include "app/files/write_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QRandomGenerator>
#include <QStandardPaths>

namespace fireside {
namespace {

QString keyPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/server-key");
}

} // namespace

QString serverKey()
{
    constexpr qint64 kMost = 1000;
    QFile file(keyPath());
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QString::fromUtf8(file.read(kMost)).trimmed();
}

QString storeServerKey(const QString &key)
{
    const QString path = keyPath();
    if (key.isEmpty()) {
        QFile::remove(path);
        return {};
    }
    const QString problem = writeFile(path, key.toUtf8(), Readers::OwnerAlone);
    return problem.isEmpty() ? problem
                             : QCoreApplication::translate("fireside::ModelServer",
                                                           "The key cannot be stored: %1")
                                   .arg(problem);
}

QString newServerKey()
{
    const QString letters =
        QStringLiteral("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789");
    QString key = QStringLiteral("fs-");
    for (int i = 0; i < 32; ++i)
        key += letters.at(QRandomGenerator::system()->bounded(static_cast<int>(letters.size())));
    return key;
}

} // namespace fireside
