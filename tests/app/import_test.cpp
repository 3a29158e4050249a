#include "app/chat/conversation_store.h"
#include "app/exchange/chat_file.h"

#include "support.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <zip.h>

// Archives with one odd chat, what a file does not say, and chats that are imported twice.
namespace fireside::test {
namespace {

QByteArray chatGptChat(int number)
{
    return QByteArray(R"({"title": "Chat %1", "create_time": 1718000%1.5, "current_node": "b",
        "mapping": {"a": {"id": "a", "parent": null, "children": ["b"], "message": {"author":
        {"role": "user"}, "create_time": 1718000%1.5, "content": {"content_type": "text", "parts":
        ["Question %1"]}}}, "b": {"id": "b", "parent": "a", "children": [], "message": {"author":
        {"role": "assistant"}, "create_time": 1718001%1.5, "content": {"content_type": "text",
        "parts": ["Answer %1"]}}}}})")
        .replace("%1", QByteArray::number(number));
}

QString zipOf(const QString &folder, const QList<std::pair<QByteArray, QByteArray>> &files)
{
    const QString path = folder + QStringLiteral("/gpt.zip");
    zip_t *zip = zip_open(qPrintable(path), ZIP_CREATE, nullptr);
    for (const auto &[name, content] : files)
        zip_file_add(zip, name.constData(),
                     zip_source_buffer(zip, content.constData(), zip_uint64_t(content.size()), 0),
                     ZIP_FL_ENC_UTF_8);
    EXPECT_EQ(zip_close(zip), 0);
    return path;
}

TEST(OddChatTest, AnArchiveGivesAllChatsButTheOddOneAndNamesIt)
{
    QList<std::pair<QByteArray, QByteArray>> files;
    for (int file = 0; file < 50; ++file) {
        QByteArray list = "[";
        for (int i = 0; i < 4; ++i) {
            const int number = 100 + file * 4 + i;
            list += i > 0 ? "," : "";
            list += number == 217 ? QByteArray(R"({"title": "Without", "create_time": 1})")
                                  : chatGptChat(number);
        }
        files.append({"conversations-" + QByteArray::number(file) + ".json", list + "]"});
    }
    const ReadChats read = readChatFiles({zipOf(newFolder(), files)});
    EXPECT_EQ(read.error, QString());
    EXPECT_EQ(read.chats.size(), 199);
    ASSERT_EQ(read.problems.size(), 1);
    for (const char *part : {"gpt.zip", "conversations-29.json", "chat 2", "Without"})
        EXPECT_TRUE(read.problems[0].contains(QLatin1String(part))) << qPrintable(read.problems[0]);
}

TEST(OddChatTest, ADamagedFileOfAnArchiveIsNamedAndTheOthersAreRead)
{
    const ReadChats read =
        readChatFiles({zipOf(newFolder(), {{"conversations-0.json", "[{"},
                                           {"conversations-1.json", "[" + chatGptChat(101) + "]"},
                                           {"conversations-2.json", "[]"}})});
    EXPECT_EQ(read.chats.size(), 1);
    ASSERT_EQ(read.problems.size(), 1) << qPrintable(read.problems.join(u'\n'));
    EXPECT_TRUE(read.problems[0].contains(QStringLiteral("conversations-0.json")));
}

TEST(OddChatTest, EachFormatLeavesOutTheOddOneAlone)
{
    const QByteArray webUi = R"({"title": "W", "chat": {"history": {"currentId": "a", "messages":
        {"a": {"role": "user", "content": "x", "parentId": null}}}}})";
    QStringList problems;
    EXPECT_EQ(readChats("[" + webUi + R"(,{"title": "Odd", "chat": 3},)" + webUi + ",7]", &problems)
                  .size(),
              2);
    ASSERT_EQ(problems.size(), 2);
    EXPECT_TRUE(problems[0].contains(QStringLiteral("Odd"))) << qPrintable(problems[0]);
    EXPECT_TRUE(problems[1].contains(QStringLiteral("chat 4"))) << qPrintable(problems[1]);

    QJsonObject own = QJsonDocument::fromJson(toJson(readChats("[" + webUi + "]"))).object();
    QJsonArray chats = own[QLatin1String("chats")].toArray();
    QJsonObject odd = chats[0].toObject();
    odd[QLatin1String("title")] = QStringLiteral("Broken");
    odd[QLatin1String("messages")] = 1;
    chats.prepend(odd);
    own[QLatin1String("chats")] = chats;
    problems.clear();
    EXPECT_EQ(readChats(QJsonDocument(own).toJson(), &problems).size(), 1);
    ASSERT_EQ(problems.size(), 1);
    EXPECT_TRUE(problems[0].contains(QStringLiteral("Broken")));
}

TEST(OddChatTest, OneOddMessageIsCountedAndTheRestIsAChat)
{
    const ChatTree studio = readChats(R"({"name": "S", "createdAt": 1718000000000, "messages": [3,
        {"versions": [{"type": "singleStep", "role": "user", "content": "Hi"}], "currentlySelected": 0}]})")
                                .at(0);
    EXPECT_EQ(studio.messages.size(), 1);
    EXPECT_EQ(studio.lostMessages, 1);

    const QString folder = newFolder();
    writeFile(folder + "/messages.jsonl",
              "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":{\"value\":\"Hi\"}}]}\n"
              "broken\n{\"role\":\"assistant\"}\n");
    const ReadChats jan = readChatFiles({folder + "/messages.jsonl"});
    ASSERT_EQ(jan.chats.size(), 1) << qPrintable(jan.error);
    EXPECT_EQ(jan.chats[0].messages.size(), 1);
    EXPECT_EQ(jan.chats[0].lostMessages, 2);
}

TEST(OddChatTest, WhatAFileDoesNotSayFollowsFromItsNeighbours)
{
    // No time of the chat, an edit without a time, a model of the chat, a message without content.
    const ChatTree chat = readChats(R"({"title": "T", "default_model_slug": "gpt-5", "mapping": {
        "root": {"parent": null, "children": ["z", "e"], "message": null},
        "z": {"parent": "root", "children": ["r"], "message": {"author": {"role": "user"},
              "create_time": 1718000100, "content": {"parts": ["original"]}}},
        "e": {"parent": "root", "children": ["s", "n"], "message": {"author": {"role": "user"},
              "content": {"parts": ["edit"]}}},
        "r": {"parent": "z", "children": [], "message": {"author": {"role": "assistant"},
              "create_time": 1718000200, "content": {"parts": ["first"]}}},
        "s": {"parent": "e", "children": [], "message": {"author": {"role": "assistant"},
              "create_time": 1718000300, "metadata": {"model_slug": "o3"},
              "content": {"parts": ["second"]}}},
        "n": {"parent": "e", "children": [], "message": {"author": {"role": "user"}}}}})")
                              .at(0);
    ASSERT_EQ(chat.messages.size(), 4);
    EXPECT_EQ(chat.messages[0].text, QStringLiteral("original"));
    EXPECT_EQ(chat.messages[2].text, QStringLiteral("edit"));
    EXPECT_EQ(chat.messages[1].record[QLatin1String("model")].toString(), QStringLiteral("gpt-5"));
    EXPECT_EQ(chat.messages[3].record[QLatin1String("model")].toString(), QStringLiteral("o3"));
    EXPECT_EQ(chat.created.toSecsSinceEpoch(), 1718000100);
    EXPECT_EQ(chat.updated.toSecsSinceEpoch(), 1718000300);
    EXPECT_EQ(chat.messages[2].created, chat.created);
    EXPECT_EQ(chat.lostMessages, 1);
}

TEST(OddChatTest, PicturesAndFilesAreCounted)
{
    const ChatTree gpt = readChats(R"({"title": "T", "mapping": {"a": {"parent": null, "message": {
        "author": {"role": "user"}, "metadata": {"attachments": [{"id": "file-1"}, {"id": "file-2"}]},
        "content": {"content_type": "multimodal_text", "parts": [{"content_type":
        "image_asset_pointer", "asset_pointer": "file-service://file-1"}, "What is this?"]}}}}})")
                             .at(0);
    EXPECT_EQ(gpt.lostFiles, 2) << "the picture is named twice, the other file once";
    const ChatTree webUi = readChats(R"({"history": {"messages": {"a": {"role": "user", "parentId":
        null, "files": [{"type": "image", "url": "x"}], "content": "Look"}}}})")
                               .at(0);
    EXPECT_EQ(webUi.lostFiles, 1);
    const ChatTree studio = readChats(R"({"messages": [{"versions": [{"role": "user", "content": [
        {"type": "text", "text": "Hi"}, {"type": "file", "fileType": "image"}]}]}]})")
                                .at(0);
    EXPECT_EQ(studio.lostFiles, 1);
    EXPECT_EQ(studio.lostMessages, 0);
}

class ImportAgainTest : public testing::Test
{
protected:
    qsizetype chats() { return store.list().size(); }
    static ChatTree grown(ChatTree chat)
    {
        Message more = makeMessage(QStringLiteral("user"), QStringLiteral("And then?"),
                                   chat.messages.last().id);
        more.id = chat.messages.size() + 1;
        chat.messages.append(more);
        chat.currentLeaf = more.id;
        return chat;
    }

    ConversationStore store{newFolder()};
    QList<ChatTree> two = readChats("[" + chatGptChat(101) + "," + chatGptChat(102) + "]");
};

TEST_F(ImportAgainTest, ChatsThatAreHereAreRecognised)
{
    EXPECT_EQ(store.importTrees(two).added.size(), 2);
    const ImportedChats again = store.importTrees(two);
    EXPECT_TRUE(again.added.isEmpty());
    EXPECT_EQ(again.known, 2);
    EXPECT_EQ(chats(), 2);
    store.setDeleted(store.list().first().id, true);
    EXPECT_EQ(store.importTrees(two).added.size(), 1) << "what was deleted comes back";
}

TEST_F(ImportAgainTest, AChatThatHasGrownGetsItsNewMessages)
{
    store.importTrees(two);
    const ImportedChats more = store.importTrees({grown(two[0]), two[1]});
    EXPECT_TRUE(more.added.isEmpty());
    ASSERT_EQ(more.updated.size(), 1);
    EXPECT_EQ(more.known, 1);
    EXPECT_EQ(more.messages, 1);
    EXPECT_EQ(chats(), 2);
    const qint64 id = more.updated[0].conversation;
    const QList<Message> path = store.path(store.conversation(id)->currentLeaf);
    ASSERT_EQ(path.size(), 3);
    EXPECT_EQ(path.last().text, QStringLiteral("And then?"));
    store.undoImport(more);
    EXPECT_EQ(store.path(store.conversation(id)->currentLeaf).size(), 2);
    EXPECT_EQ(store.tree(id)->messages.size(), 2);
}

TEST_F(ImportAgainTest, WhatWasWrittenHereStaysInView)
{
    const qint64 id = store.importTrees(two).added[0];
    const qint64 here =
        store.addMessage(id, makeMessage(QStringLiteral("user"), QStringLiteral("Mine"),
                                         store.conversation(id)->currentLeaf));
    const ImportedChats more = store.importTrees({grown(two[0])});
    ASSERT_EQ(more.updated.size(), 1);
    EXPECT_EQ(store.conversation(id)->currentLeaf, here);
    EXPECT_EQ(store.tree(id)->messages.size(), 4);
}

TEST_F(ImportAgainTest, ChatsThatOnlyBeginAlikeAreTwo)
{
    store.importTrees(two);
    ChatTree other = two[0];
    for (Message &message : other.messages)
        message.created = message.created.addDays(1);
    EXPECT_EQ(store.importTrees({other}).added.size(), 1);
    // A copy of a chat has its times: it is one chat more than the other file has.
    EXPECT_EQ(store.importTrees({two[0], two[0]}).added.size(), 1);
}

} // namespace
} // namespace fireside::test
