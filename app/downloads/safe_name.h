#pragma once
#include <QList>
#include <QString>
#include <QUrl>

namespace fireside {

struct RemoteFile;

/// Whether a name from the network may be used below a chosen folder: relative, of plain visible
/// parts, nothing that leaves the folder or hides in it.
bool isSafeName(const QString &name);
/// The last part of an address as a name; empty where it is none that may be used.
QString nameFromUrl(const QUrl &url);
/// Why these files cannot be stored together, as a clause; empty: they can.
QString nameProblem(const QList<RemoteFile> &files);

} // namespace fireside
