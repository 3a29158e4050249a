#pragma once
#include "app/runtime/engine_types.h"
#include "engine/text/reply/reply_parts.h"

namespace fireside {

/// The text of a reply as it is stored and shown, made from its parts. It only grows. Thoughts
/// stand between <think> and </think> whatever the model writes, calls in fenced blocks, so that
/// it can be read, searched and copied without the list of parts.
class ReplyText
{
public:
    void add(const ReplyDelta &delta);
    /// What was added since this was last asked.
    QString takeNew();
    const QList<MessagePart> &parts() const { return m_parts; }

private:
    void put(const QString &text);
    void begin(MessagePart::Kind kind);

    QString m_new;
    qsizetype m_length = 0; // of the whole text
    QList<MessagePart> m_parts;
};

} // namespace fireside
