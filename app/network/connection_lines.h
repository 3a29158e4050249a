#pragma once
#include "app/network/connections.h"

namespace fireside {

/// A record as a line of JSON, its end included.
QByteArray toLine(const ConnectionRecord &record);
/// The records of a file of lines. Of lines about the same record the last counts; what is no
/// record is skipped.
QList<ConnectionRecord> fromLines(const QByteArray &lines);

} // namespace fireside
