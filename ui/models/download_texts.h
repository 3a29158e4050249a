#pragma once
#include "app/downloads/download_list.h"

namespace fireside {

/// "1.2 GB of 4.6 GB · 35 MB/s · 2 min left", or why it does not run, as a line.
QString downloadState(const DownloadItem &item);
/// Which file, where it goes, and what is checked.
QString downloadDetails(const DownloadItem &item);
/// What the content is compared with when it is whole.
QString checkText(const DownloadRequest &request);
/// "2 h 5 min left"
QString timeLeftText(qint64 seconds);

} // namespace fireside
