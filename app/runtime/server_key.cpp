#include "app/runtime/server_key.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QSaveFile>
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
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) &&
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) &&
        file.write(key.toUtf8()) == key.toUtf8().size() && file.commit())
        return {};
    return QCoreApplication::translate("fireside::ModelServer", "The key cannot be stored: %1")
        .arg(file.errorString());
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
