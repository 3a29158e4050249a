#pragma once
#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QString>

namespace fireside {

/// Puts what was written in the place of the old file. False, and the old file stays, when not all
/// of it reached the disk: QSaveFile of Qt 6.4 alone doesn't notice that for its last few
/// kilobytes.
inline bool commitAll(QSaveFile &file)
{
    return file.flush() && file.commit();
}

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
                         file.write(content) == content.size() && commitAll(file);
    return written ? QString() : file.errorString();
}

} // namespace fireside
