#pragma once
#include "app/chat/conversation_store.h"
#include "tests/support/endless_model.h"
#include "tests/support/without_privileges.h"

#include <QString>

#include <functional>
#include <gtest/gtest.h>

// What the tests of the application share.
namespace fireside::test {

inline constexpr int kPatience = 120'000; // ms; a busy machine is no failure

/// Runs the event loop until the condition holds; false after the time, which is a failure, not a
/// measurement.
bool waitFor(const std::function<bool()> &condition, int milliseconds = kPatience);

/// Fresh and empty, removed at the program's end.
QString newFolder();

/// A copy of the tiny random model that claims a context of 2^20 tokens: with kEndlessContext of
/// them it talks for many seconds, so that a reply can be interrupted however fast the machine is.
QString endlessModel();

void writeFile(const QString &path, const QByteArray &content);
void makeLink(const QString &target, const QString &path);

Message makeMessage(const QString &role, const QString &text, qint64 parentId);
/// A conversation of `turns` messages, alternately of user and assistant; returns the id of the
/// last one.
qint64 addChat(ConversationStore &store, qint64 conversation, int messages);

/// What the program does when it is started by a test as "app_test --role …"; −1: nothing, run the
/// tests.
int playRole(const QStringList &arguments);

} // namespace fireside::test
