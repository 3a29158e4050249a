#pragma once
#include "app/downloads/download_list.h"

namespace fireside {

/// The list of downloads of the last run. A damaged file is set aside.
QList<DownloadItem> readDownloads(const QString &path);
/// Empty: stored; else why not.
QString storeDownloads(const QString &path, const QList<DownloadItem> &items);

} // namespace fireside
