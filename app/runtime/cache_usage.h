#pragma once
#include <QString>

namespace fireside {

/// What is kept of computed chats.
struct CacheUsage
{
    QString folder; // empty: in memory only
    qint64 diskBytes = 0, memoryBytes = 0;
    qint64 tokens = 0; // of all chats
    QString problem;   // why something could not be written; empty: nothing
    bool operator==(const CacheUsage &) const = default;
};

} // namespace fireside
