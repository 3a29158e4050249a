#pragma once
#include <QJsonObject>
#include <QString>

namespace fireside {

/// Where somebody was in a chat: what was read, and which message was being changed.
struct ChatPlace
{
    qint64 message = 0; // at the top of what was in view; 0: the chat's end was
    int section = -1;   // of that message; −1: what stands above its text
    double offset = 0;  // px from the section's top, or the message's, down to the view's
    qint64 edited = 0;  // 0: none
    QString edit = {};  // its new version, which was not sent
    bool operator==(const ChatPlace &) const = default;
};

QJsonObject toJson(const ChatPlace &place);
/// What cannot be is as if it were not there.
ChatPlace chatPlaceFrom(const QJsonObject &json);

} // namespace fireside
