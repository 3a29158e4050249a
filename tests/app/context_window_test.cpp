#include "app/runtime/context_window.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

// One token per character and two per message.
int count(const QList<TurnMessage> &messages)
{
    int tokens = 0;
    for (const TurnMessage &message : messages)
        tokens += static_cast<int>(message.text.size()) + 2;
    return tokens;
}

QList<TurnMessage> chat(int turns, int length, bool system)
{
    QList<TurnMessage> messages;
    if (system)
        messages.append({QStringLiteral("system"), QString(length, QLatin1Char('s'))});
    for (int i = 0; i < turns; ++i) {
        messages.append({QStringLiteral("user"), QString(length, QLatin1Char('u'))});
        if (i + 1 < turns)
            messages.append({QStringLiteral("assistant"), QString(length, QLatin1Char('a'))});
    }
    return messages;
}

std::string errorOf(const QList<TurnMessage> &messages, int context, bool drop)
{
    try {
        fitContext(messages, context, drop, 0, count);
    } catch (const Error &error) {
        return error.what();
    }
    return {};
}

TEST(ContextWindowTest, keepsWhatFits)
{
    const auto messages = chat(3, 8, true);                                // 6 messages of 10
    const ContextWindow window = fitContext(messages, 80, true, 0, count); // 60 are available
    EXPECT_EQ(window.firstSeen, 0);
    EXPECT_EQ(window.tokens, 60);
    EXPECT_EQ(window.messages.size(), 6);
}

TEST(ContextWindowTest, leavesOutWholeTurnsFromTheOldestOn)
{
    for (const bool system : {false, true}) {
        for (int context = 64; context < 800; context += 7) {
            const auto messages = chat(40, 8, system);
            const ContextWindow window = fitContext(messages, context, true, 0, count);
            ASSERT_LE(window.tokens, context - answerReserve(context));
            ASSERT_EQ(window.tokens, count(window.messages));
            ASSERT_EQ(window.messages.last().role, QStringLiteral("user"));
            ASSERT_EQ(window.messages.first().role,
                      system ? QStringLiteral("system") : QStringLiteral("user"));
            if (window.firstSeen == 0)
                continue;
            ASSERT_EQ(messages[window.firstSeen].role, QStringLiteral("user"));
            // What was left out beyond the necessary is an eighth of the context and one turn at
            // most.
            const int room = context - answerReserve(context) - window.tokens;
            ASSERT_LT(room, context / 8 + 20);
        }
    }
}

TEST(ContextWindowTest, startsWhereItStartedAsLongAsThatFits)
{
    auto messages = chat(40, 8, true);
    const ContextWindow first = fitContext(messages, 400, true, 0, count);
    ASSERT_GT(first.firstSeen, 0);
    messages.append({QStringLiteral("assistant"), QString(8, QLatin1Char('a'))});
    messages.append({QStringLiteral("user"), QString(8, QLatin1Char('u'))});
    EXPECT_EQ(fitContext(messages, 400, true, first.firstSeen, count).firstSeen, first.firstSeen);
    // A start that is no longer a user's message, or does not fit, is not kept.
    EXPECT_NE(fitContext(messages, 400, true, 2, count).firstSeen, 2);
    EXPECT_NE(fitContext(messages, 400, true, 1, count).firstSeen, 1);
}

TEST(ContextWindowTest, theLastCountIsOfWhatIsReturned)
{
    QList<TurnMessage> counted;
    const auto remember = [&](const QList<TurnMessage> &messages) {
        counted = messages;
        return count(messages);
    };
    for (const int context : {64, 200, 400, 5000}) {
        const ContextWindow window = fitContext(chat(40, 8, true), context, true, 0, remember);
        EXPECT_EQ(counted.size(), window.messages.size()) << context;
    }
}

TEST(ContextWindowTest, refusesWithTheNumbers)
{
    const std::string alone = errorOf(chat(1, 1000, false), 400, true);
    EXPECT_NE(alone.find("1002"), std::string::npos) << alone;
    EXPECT_NE(alone.find("400"), std::string::npos) << alone;
    EXPECT_NE(alone.find("300"), std::string::npos) << alone;
    // The last message alone is too long, whatever is left out before it.
    auto messages = chat(5, 8, false);
    messages.last().text = QString(1000, QLatin1Char('u'));
    EXPECT_NE(errorOf(messages, 400, true).find("1002"), std::string::npos);
    // Nothing may be left out.
    EXPECT_NE(errorOf(chat(40, 8, false), 400, false).find("790"), std::string::npos);
}

TEST(ContextWindowTest, saysWhatMightBeLeftOut)
{
    const auto shortage = [](const QList<TurnMessage> &messages) {
        try {
            fitContext(messages, 400, false, 0, count);
        } catch (const ContextFull &full) {
            EXPECT_EQ(full.kind(), ErrorKind::BadInput);
            return full.shortage();
        }
        return ContextShortage();
    };
    const auto messages = chat(40, 8, true); // of 10 each; 300 are available
    const ContextShortage found = shortage(messages);
    EXPECT_EQ(found.tokens, 800);
    EXPECT_EQ(found.room, 300);
    EXPECT_EQ(messages[found.keepFrom].role, QStringLiteral("user"));
    EXPECT_EQ(messages.size() - found.keepFrom, 13) << "half of the room, with the system prompt";
    auto long_ = chat(5, 8, false);
    long_.last().text = QString(280, QLatin1Char('u'));
    EXPECT_EQ(shortage(long_).keepFrom, 8) << "the last one in any case";
    long_.last().text = QString(299, QLatin1Char('u'));
    EXPECT_EQ(shortage(long_).keepFrom, -1) << "which alone is too long";
    EXPECT_EQ(shortage(long_).tokens, 301);
    EXPECT_EQ(shortage(chat(1, 400, false)).keepFrom, -1);
}

} // namespace
} // namespace fireside::test
