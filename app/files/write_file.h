#pragma once
#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QString>

namespace fireside {

enum class Readers { AsUsual, OwnerAlone };

/// Puts a complete file in the place of an old one, or leaves that as it is. Makes the folder. With
/// OwnerAlone nobody else can read it from its first byte on. A link is followed; a device, pipe or
/// socket is not replaced. Empty: it is written; else why not.
inline QString writeFile(const QString &path, const QByteArray &content,
                         Readers readers = Readers::AsUsual)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    if (const QFileInfo old(path); old.exists() && !old.isFile())
        return QCoreApplication::translate("fireside::WriteFile", "it is not a regular file");
    QSaveFile file(path);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         (readers == Readers::AsUsual ||
                          file.setPermissions(QFile::ReadOwner | QFile::WriteOwner)) &&
                         file.write(content) == content.size() && file.commit();
    return written ? QString() : file.errorString();
}

} // namespace fireside
