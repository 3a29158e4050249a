#pragma once
#include <QString>

namespace fireside {

/// Whether a call may run.
struct CallQuestion
{
    qint64 conversation = 0, messageId = 0;
    QString server, tool, title, description;
    QString arguments; // JSON
    bool operator==(const CallQuestion &) const = default;
};

enum class CallAnswer { Once, ThisChat, Always, Refuse };

} // namespace fireside
