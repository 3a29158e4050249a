#include "app/chat/chat_place.h"
#include "app/chat/conversation_store.h"
#include "support.h"

#include <QJsonDocument>

namespace fireside::test {
namespace {

ChatPlace placeIn(const char *json)
{
    return chatPlaceFrom(QJsonDocument::fromJson(json).object());
}

TEST(ChatPlaceTest, comesBackAsItWasWritten)
{
    for (const ChatPlace &place :
         {ChatPlace{}, ChatPlace{7, -1, -12.5, 0, {}}, ChatPlace{qint64(1) << 40, 3, 812, 0, {}},
          ChatPlace{0, -1, 0, 9, QStringLiteral("ü\n\"x\"")},
          ChatPlace{7, 0, 1, 9, QString(QLatin1String(""))}})
        EXPECT_EQ(chatPlaceFrom(toJson(place)), place);
    EXPECT_TRUE(toJson(ChatPlace()).isEmpty());
}

TEST(ChatPlaceTest, whatCannotBeIsNotThere)
{
    for (const char *json :
         {"", "[]", "{}", R"({"message": -1, "edited": -2})", R"({"message": "7", "edited": []})",
          R"({"message": 1e300})", R"({"message": 1.5})", R"({"section": 4, "offset": 9})",
          R"({"edit": "nothing's"})"})
        EXPECT_EQ(placeIn(json), ChatPlace()) << json;
    const ChatPlace far = placeIn(R"({"message": 3, "section": -9, "offset": 1e300})");
    EXPECT_EQ(far.section, -1);
    EXPECT_LE(far.offset, 1e9);
    EXPECT_EQ(placeIn(R"({"message": 3, "section": 1.5, "offset": "x"})"), (ChatPlace{3, -1, 0}));
}

TEST(ChatPlaceTest, isStoredWithTheChat)
{
    const QString folder = newFolder();
    const ChatPlace place{5, 1, 40, 2, QStringLiteral("half")};
    qint64 id = 0;
    {
        ConversationStore store(folder);
        id = store.addConversation(QStringLiteral("one"), {});
        EXPECT_EQ(store.conversation(id)->place, ChatPlace());
        store.setPlace(id, place);
    }
    ConversationStore store(folder);
    EXPECT_EQ(store.conversation(id)->place, place);
}

} // namespace
} // namespace fireside::test
