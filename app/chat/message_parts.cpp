#include "app/chat/message_parts.h"

#include <algorithm>

namespace fireside {
namespace {

const QLatin1String kKind("kind"), kStart("start"), kLength("length"), kName("name"), kId("id");
const QLatin1String kKinds[] = {QLatin1String("text"), QLatin1String("reasoning"),
                                QLatin1String("call")};

} // namespace

QJsonArray toJson(const QList<MessagePart> &parts)
{
    QJsonArray list;
    for (const MessagePart &part : parts) {
        QJsonObject json{{kKind, kKinds[part.kind]},
                         {kStart, qint64(part.start)},
                         {kLength, qint64(part.length)}};
        if (part.kind == MessagePart::Call) {
            json[kName] = part.name;
            json[kId] = part.id;
        }
        list.append(json);
    }
    return list;
}

QList<MessagePart> joined(QList<MessagePart> before, qsizetype length,
                          const QList<MessagePart> &after)
{
    for (MessagePart part : after) {
        part.start += length;
        MessagePart *last = before.isEmpty() ? nullptr : &before.last();
        const bool sameText = last && last->kind == MessagePart::Text &&
                              part.kind == MessagePart::Text &&
                              last->start + last->length == part.start;
        if (sameText)
            last->length += part.length;
        else
            before.append(part);
    }
    return before;
}

QList<MessagePart> partsOf(const Message &message)
{
    QList<MessagePart> parts;
    qsizetype end = 0;
    for (const QJsonValue &value : message.record[kPartsKey].toArray()) {
        const QJsonObject json = value.toObject();
        const auto *kind = std::find(std::begin(kKinds), std::end(kKinds), json[kKind].toString());
        const qsizetype start = json[kStart].toInteger(-1), length = json[kLength].toInteger(-1);
        if (kind == std::end(kKinds) || start < end || length < 0)
            return {};
        if (start > message.text.size()) // a reply that was cut off while it was stored
            break;
        end = start + std::min(length, message.text.size() - start);
        parts.append({MessagePart::Kind(kind - kKinds), start, end - start, json[kName].toString(),
                      json[kId].toString()});
    }
    return parts;
}

} // namespace fireside
