#pragma once
#include "app/chat/conversation.h"
#include "app/runtime/engine_types.h"

#include <QJsonArray>

// The parts of a reply in its record. Replies of older versions have none: their thoughts are
// found by the marks in the text.
namespace fireside {

inline constexpr QLatin1String kPartsKey("parts");
/// The ids of the tokens that a reply was written with, packed.
inline constexpr QLatin1String kTokensKey("tokens");

QString packedTokens(const QList<int> &ids);
QList<int> unpackedTokens(const QString &packed); // none where it is damaged

QJsonArray toJson(const QList<MessagePart> &parts);
/// Of a text of `length` with the parts `before`, to which a text with the parts `after` was
/// appended.
QList<MessagePart> joined(QList<MessagePart> before, qsizetype length,
                          const QList<MessagePart> &after);
/// In order, within the text and without overlaps, whatever the record says.
QList<MessagePart> partsOf(const Message &message);

} // namespace fireside
