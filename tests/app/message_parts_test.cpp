// The text of a reply made from its parts, and the parts in its record.
#include "app/chat/chat_texts.h"
#include "app/chat/message_parts.h"
#include "app/runtime/reply_text.h"
#include "support.h"

#include <QJsonDocument>

namespace fireside::test {
namespace {

ReplyDelta words(ReplyPartKind kind, const char *text, bool begins = false)
{
    return {kind, text, text, {}, begins};
}

ReplyDelta callOf(const char *name, const char *arguments)
{
    return {ReplyPartKind::ToolCall, "raw", {}, ToolCall{name, arguments, "id1"}, true};
}

Message replyOf(std::initializer_list<ReplyDelta> deltas)
{
    ReplyText text;
    QString all;
    for (const ReplyDelta &delta : deltas) {
        text.add(delta);
        all += text.takeNew();
    }
    Message message = makeMessage(QStringLiteral("assistant"), all, 0);
    message.record[kPartsKey] = toJson(text.parts());
    EXPECT_EQ(partsOf(message), text.parts());
    return message;
}

QStringList textsOf(const Message &message)
{
    QStringList texts;
    for (const MessagePart &part : partsOf(message))
        texts += message.text.mid(part.start, part.length);
    return texts;
}

TEST(ReplyTextTest, argumentsAreShownInLinesAndToldAsReceived)
{
    for (const char *received : {R"({"b":1,"a":"x"})", "{ \"n\" : 12345678901234567890123 }",
                                 R"({"e":1e2,"e":1})", "not json"}) {
        const Message message = replyOf({callOf("f", received)});
        const Turns turns = turnsOf({message}, {});
        ASSERT_EQ(turns.messages[0].calls.size(), 1);
        EXPECT_EQ(turns.messages[0].calls[0].arguments.toStdString(), received);
    }
    const Message shown = replyOf({callOf("f", R"({"b":1})")});
    EXPECT_EQ(textsOf(shown), QStringList{QStringLiteral("{\n  \"b\": 1\n}")});
}

TEST(ReplyTextTest, setsThoughtsAndCallsApart)
{
    using enum ReplyPartKind;
    const Message message = replyOf(
        {words(Reasoning, "Hm", true), words(Reasoning, " ü☕"), words(Text, "Yes", true),
         words(Text, "."), callOf("look_up", R"({"b":1,"a":"ü"})"), words(Text, "Done", true)});
    EXPECT_EQ(message.text,
              QStringLiteral("<think>\nHm ü☕\n</think>\n\nYes.\n\n```look_up\n{\n  \"b\": 1,\n  "
                             "\"a\": \"ü\"\n}\n```\n\nDone"));
    EXPECT_EQ(textsOf(message), (QStringList{QStringLiteral("Hm ü☕"), QStringLiteral("Yes."),
                                             QStringLiteral("{\n  \"b\": 1,\n  \"a\": \"ü\"\n}"),
                                             QStringLiteral("Done")}));
    const Turns turns = turnsOf({message}, {});
    ASSERT_EQ(turns.messages.size(), 1);
    EXPECT_EQ(turns.messages[0].text, QStringLiteral("Yes.\n\nDone"));
    EXPECT_EQ(turns.messages[0].reasoning, QStringLiteral("Hm ü☕"));
    ASSERT_EQ(turns.messages[0].calls.size(), 1);
    EXPECT_EQ(turns.messages[0].calls[0].name, QStringLiteral("look_up"));
    EXPECT_EQ(turns.messages[0].calls[0].id, QStringLiteral("id1"));
}

TEST(ReplyTextTest, whatTurnsOutToBeThoughtsIs)
{
    ReplyDelta end{ReplyPartKind::Text, "</think>", {}, {}};
    end.takesAllBefore = true;
    const Message message = replyOf(
        {words(ReplyPartKind::Text, "Hm", true), end, words(ReplyPartKind::Text, "Yes", true)});
    EXPECT_EQ(message.text, QStringLiteral("Hm\n</think>\n\nYes"));
    ASSERT_EQ(partsOf(message).size(), 2);
    EXPECT_EQ(partsOf(message)[0].kind, MessagePart::Reasoning);
}

TEST(MessagePartsTest, ofDamagedRecordsAreNone)
{
    Message message = makeMessage(QStringLiteral("assistant"), QStringLiteral("0123456789"), 0);
    EXPECT_TRUE(partsOf(message).isEmpty()) << "an old message";
    const auto parts = [&](const char *json) {
        message.record[kPartsKey] = QJsonDocument::fromJson(json).array();
        return partsOf(message);
    };
    EXPECT_EQ(parts(R"([{"kind":"text","start":2,"length":3}])").size(), 1);
    EXPECT_EQ(parts(R"([{"kind":"text","start":2,"length":99}])").value(0).length, 8);
    EXPECT_EQ(parts(R"([{"kind":"text","start":2,"length":3},{"kind":"text","start":11,
                        "length":1}])")
                  .size(),
              1)
        << "text that was not stored any more";
    for (const char *bad :
         {R"([{"kind":"other","start":2,"length":3}])",
          R"([{"kind":"text","start":-1,"length":3}])",
          R"([{"kind":"text","start":2,"length":-3}])", R"([{"kind":"text"}])", R"([7])",
          R"([{"kind":"text","start":2,"length":3},{"kind":"text","start":4,"length":1}])"})
        EXPECT_TRUE(parts(bad).isEmpty()) << bad;
}

TEST(JoinedPartsTest, textThatGoesOnStaysOnePart)
{
    const QList<MessagePart> before{{MessagePart::Reasoning, 8, 4}, {MessagePart::Text, 23, 7}};
    EXPECT_EQ(joined(before, 30, {{MessagePart::Text, 0, 5}}),
              (QList<MessagePart>{{MessagePart::Reasoning, 8, 4}, {MessagePart::Text, 23, 12}}));
    EXPECT_EQ(joined(before, 32, {{MessagePart::Text, 0, 5}, {MessagePart::Call, 9, 1}}),
              (QList<MessagePart>{{MessagePart::Reasoning, 8, 4},
                                  {MessagePart::Text, 23, 7},
                                  {MessagePart::Text, 32, 5},
                                  {MessagePart::Call, 41, 1}}));
    EXPECT_EQ(joined({}, 0, before), before);
    EXPECT_EQ(joined(before, 30, {}), before);
}

} // namespace
} // namespace fireside::test
