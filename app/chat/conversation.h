#pragma once
#include <QDateTime>
#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>

namespace fireside {

/// One message of a conversation tree. Children of the same parent are alternatives (edits,
/// regenerations); nothing is ever overwritten.
struct Message
{
    enum class State {
        Complete,
        Streaming,
        Stopped, // by the user
        Failed,
        Interrupted, // the program ended while it was written
    };
    qint64 id = 0;
    qint64 parentId = 0; // 0: first message
    QString role;        // "user", "assistant", "system", "tool"
    QString text;
    QDateTime created;
    State state = State::Complete;
    QString error;        // when Failed
    QJsonObject record;   // replies: model, fingerprint, backend, device, sampling, seed, rates
    int siblingIndex = 0; // 0-based among the parent's children
    int siblingCount = 1;
};

struct ConversationSummary
{
    qint64 id = 0;
    QString title; // empty until named
    QDateTime updated;
    bool pinned = false;
    QString folder;   // empty: in none
    QString snippet;  // text around a search match, empty otherwise
    qint64 match = 0; // the message it is from
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::Message)
Q_DECLARE_METATYPE(fireside::ConversationSummary)
