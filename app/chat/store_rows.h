#pragma once
#include "app/chat/conversation.h"
#include "app/chat/sql_connection.h"

#include <QJsonDocument>

// How texts, JSON and messages lie in rows of the store.
namespace fireside {

inline QString compact(const QJsonObject &json)
{
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

inline QJsonObject parse(const QString &json)
{
    return QJsonDocument::fromJson(json.toUtf8()).object();
}

// Null strings would be stored as NULL, which the columns refuse.
inline QString stored(const QString &text)
{
    return text.isNull() ? QStringLiteral("") : text;
}

inline QDateTime momentOf(const QVariant &milliseconds) // since 1970
{
    return QDateTime::fromMSecsSinceEpoch(milliseconds.toLongLong());
}

/// Of the columns id, parent, role, text, created, state, error, record, in this order.
inline Message readMessage(const QSqlQuery &row)
{
    Message message;
    message.id = row.value(0).toLongLong();
    message.parentId = row.value(1).toLongLong();
    message.role = row.value(2).toString();
    message.text = row.value(3).toString();
    message.created = momentOf(row.value(4));
    const int state = row.value(5).toInt();
    message.state = state >= 0 && state <= int(Message::State::Interrupted)
                        ? Message::State(state)
                        : Message::State::Stopped;
    message.error = row.value(6).toString();
    message.record = parse(row.value(7).toString());
    return message;
}

/// A new row for it below `parent`, with an id of its own, which is returned. Throws SqlError.
inline qint64 insertMessage(const SqlConnection &db, qint64 conversation, qint64 parent,
                            const Message &message)
{
    return db
        .run(QStringLiteral("INSERT INTO messages(conversation, parent, role, text, created, "
                            "state, error, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
             {conversation, parent, stored(message.role), stored(message.text),
              message.created.toMSecsSinceEpoch(), int(message.state), stored(message.error),
              compact(message.record)})
        .lastInsertId()
        .toLongLong();
}

} // namespace fireside
