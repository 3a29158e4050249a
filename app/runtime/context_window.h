#pragma once
#include "app/runtime/engine_types.h"
#include "engine/core/error.h"

#include <QList>

#include <functional>

namespace fireside {

/// Which of a chat's messages the model gets to see.
struct ContextWindow
{
    QList<TurnMessage> messages; // system messages and the turns from firstSeen on
    int firstSeen = 0;           // index into the chat of the oldest turn kept; 0: nothing left out
    int tokens = 0;              // of `messages`
};

/// Tokens kept free for the answer: min(512, context / 4).
int answerReserve(int context);

/// Tokens that one message may have, beside what the template writes around it.
int messageRoom(int context);

/// Error(BadInput) of a chat that does not fit, and what of it would.
class ContextFull : public Error
{
public:
    ContextFull(const std::string &text, const ContextShortage &shortage)
        : Error(ErrorKind::BadInput, text)
        , m_shortage(shortage)
    {}
    const ContextShortage &shortage() const { return m_shortage; }

private:
    ContextShortage m_shortage;
};

using TokenCounter = std::function<int(const QList<TurnMessage> &)>;

/// Fits a chat into `context` tokens minus the answer's reserve. When it does not fit and
/// `dropOldest` is set, whole turns (a user message and what answers it) are left out from the
/// oldest on; system messages and the latest user message always stay. A little more than necessary
/// is left out, so that the start of the chat stays the same, and in the cache, for the next few
/// turns; `previousFirstSeen` (0: none) is kept as the start as long as it fits. The last call of
/// `count` is for the messages that are returned. Throws ContextFull where something may not be
/// left out, or where that is not enough.
ContextWindow fitContext(const QList<TurnMessage> &chat, int context, bool dropOldest,
                         int previousFirstSeen, const TokenCounter &count);

} // namespace fireside
