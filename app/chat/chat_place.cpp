#include "app/chat/chat_place.h"

#include <algorithm>

namespace fireside {
namespace {

const QLatin1String kMessage("message"), kSection("section"), kOffset("offset"), kEdited("edited"),
    kEdit("edit");
constexpr double kFarthest = 1e7; // px

} // namespace

QJsonObject toJson(const ChatPlace &place)
{
    QJsonObject json;
    if (place.message != 0) {
        json[kMessage] = place.message;
        json[kSection] = place.section;
        json[kOffset] = place.offset;
    }
    if (place.edited != 0) {
        json[kEdited] = place.edited;
        json[kEdit] = place.edit;
    }
    return json;
}

ChatPlace chatPlaceFrom(const QJsonObject &json)
{
    ChatPlace place;
    if (const qint64 message = json[kMessage].toInteger(); message > 0) {
        place.message = message;
        place.section = std::max(-1, json[kSection].toInt(-1));
        place.offset = std::clamp(json[kOffset].toDouble(), -kFarthest, kFarthest);
    }
    if (const qint64 edited = json[kEdited].toInteger(); edited > 0) {
        place.edited = edited;
        place.edit = json[kEdit].toString();
    }
    return place;
}

} // namespace fireside
