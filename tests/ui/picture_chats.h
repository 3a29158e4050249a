#pragma once
#include "app/chat/conversation_store.h"

namespace fireside::test {

/// Chats to be looked at, the one to be opened last, in English or Arabic.
QList<ChatTree> pictureChats(const QString &language);

} // namespace fireside::test
