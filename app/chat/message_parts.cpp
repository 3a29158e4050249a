#include "app/chat/message_parts.h"

#include <algorithm>
#include <limits>

namespace fireside {
namespace {

const QLatin1String kKind("kind"), kStart("start"), kLength("length"), kName("name"), kId("id"),
    kArguments("arguments");
const QLatin1String kKinds[] = {QLatin1String("text"), QLatin1String("reasoning"),
                                QLatin1String("call")};

} // namespace

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
QString packedTokens(const QList<int> &ids)
{
    QByteArray bytes;
    for (const int id : ids) {
        auto left = static_cast<quint32>(id);
        for (; left >= 0x80; left >>= 7)
            bytes.append(static_cast<char>(left | 0x80));
        bytes.append(static_cast<char>(left));
    }
    return QString::fromLatin1(bytes.toBase64());
}

QList<int> unpackedTokens(const QString &packed)
{
    constexpr unsigned kMaxShift = 28;
    QList<int> ids;
    quint32 id = 0;
    unsigned shift = 0;
    const auto decoded =
        QByteArray::fromBase64Encoding(packed.toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    for (const char byte : *decoded) {
        const auto bits = static_cast<quint32>(static_cast<unsigned char>(byte));
        if (shift > kMaxShift)
            return {};
        id |= (bits & 0x7f) << shift;
        shift += 7;
        if ((bits & 0x80) != 0)
            continue;
        if (id > static_cast<quint32>(std::numeric_limits<int>::max()))
            return {};
        ids.append(static_cast<int>(id));
        id = shift = 0;
    }
    return shift == 0 ? ids : QList<int>();
}

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
            if (!part.arguments.isEmpty())
                json[kArguments] = part.arguments;
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
                      json[kId].toString(), json[kArguments].toString()});
    }
    return parts;
}

} // namespace fireside
