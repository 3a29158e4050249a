#include "app/exchange/chat_file.h"

#include "support.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

// Chats of this and of other programs, as files.
namespace fireside::test {
namespace {

/// The texts from the root to the message in view.
QStringList viewOf(const ChatTree &chat)
{
    QStringList texts;
    for (qint64 id = chat.currentLeaf; id != 0; id = chat.messages.at(id - 1).parentId)
        texts.prepend(chat.messages.at(id - 1).text);
    return texts;
}

QStringList allOf(const ChatTree &chat)
{
    QStringList texts;
    for (const Message &message : chat.messages)
        texts += message.text;
    return texts;
}

ChatTree only(const QByteArray &json)
{
    const QList<ChatTree> chats = readChats(json);
    EXPECT_EQ(chats.size(), 1);
    return chats.value(0);
}

QString refusal(const QByteArray &json)
{
    try {
        readChats(json);
    } catch (const ChatFileError &error) {
        EXPECT_FALSE(error.text().isEmpty());
        return error.text();
    }
    ADD_FAILURE() << "it was taken over: " << json.left(200).toStdString();
    return {};
}

const QByteArray kLmStudio = R"({
  "name": "Sorting", "pinned": true, "createdAt": 1718000000000, "tokenCount": 99,
  "systemPrompt": "", "lastUsedModel": {"identifier": "qwen2.5-7b-instruct"},
  "perChatPredictionConfig": {"fields": [{"key": "llm.prediction.systemPrompt", "value": "Be brief."}]},
  "messages": [
    {"versions": [{"type": "singleStep", "role": "user",
                   "content": [{"type": "text", "text": "How do I sort?"}]}], "currentlySelected": 0},
    {"versions": [
       {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"},
        "steps": [
          {"type": "contentBlock", "style": {"type": "thinking"}, "content": [{"type": "text", "text": "hm"}]},
          {"type": "contentBlock", "genInfo": {"identifier": "qwen2.5-7b-instruct", "stats": {}},
           "content": [{"type": "text", "text": "Use sort()."}]},
          {"type": "debugInfoBlock", "debugInfo": "x"}]},
       {"type": "multiStep", "role": "assistant",
        "steps": [{"type": "contentBlock", "content": [{"type": "text", "text": "Call qsort."}]}]}],
     "currentlySelected": 1},
    {"versions": [{"type": "singleStep", "role": "user", "content": "Thanks"}], "currentlySelected": 0}]
})";

const QByteArray kOpenWebUi = R"([{
  "id": "5b", "user_id": "u", "title": "Trees", "pinned": false, "created_at": 1718000001,
  "updated_at": 1718000009,
  "chat": {"title": "Trees", "models": ["llama3.2:3b"], "params": {"system": "You are a gardener."},
    "history": {"currentId": "c", "messages": {
      "c": {"id": "c", "parentId": "a", "childrenIds": [], "role": "assistant", "content": "Second.",
            "model": "llama3.2:3b", "modelName": "Llama 3.2", "timestamp": 1718000008, "done": true},
      "b": {"id": "b", "parentId": "a", "childrenIds": [], "role": "assistant", "content": "First.",
            "model": "llama3.2:3b", "timestamp": 1718000005},
      "a": {"id": "a", "parentId": null, "childrenIds": ["b", "c"], "role": "user",
            "content": "What is an oak?", "timestamp": 1718000002}}},
    "messages": []}}])";

const QByteArray kChatGpt = R"([{
  "title": "Rain", "create_time": 1718000000.5, "update_time": 1718000100.25, "current_node": "r2",
  "conversation_id": "x", "mapping": {
    "root": {"id": "root", "message": null, "parent": null, "children": ["sys"]},
    "sys": {"id": "sys", "parent": "root", "children": ["q"], "message": {"author": {"role": "system"},
       "create_time": null, "content": {"content_type": "text", "parts": [""]},
       "metadata": {"is_visually_hidden_from_conversation": true}}},
    "q": {"id": "q", "parent": "sys", "children": ["r1", "tool"], "message": {"author": {"role": "user"},
       "create_time": 1718000001.0, "content": {"content_type": "multimodal_text",
         "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://f"}, "Why does it rain?"]}}},
    "r1": {"id": "r1", "parent": "q", "children": [], "message": {"author": {"role": "assistant"},
       "create_time": 1718000002.0, "content": {"content_type": "text", "parts": ["Clouds."]},
       "metadata": {"model_slug": "gpt-4o"}}},
    "tool": {"id": "tool", "parent": "q", "children": ["r2"], "message": {"author": {"role": "tool"},
       "create_time": 1718000003.0, "content": {"content_type": "text", "parts": ["search result"]}}},
    "r2": {"id": "r2", "parent": "tool", "children": [], "message": {"author": {"role": "assistant"},
       "create_time": 1718000004.0, "content": {"content_type": "text", "parts": ["Water", "falls."]},
       "metadata": {"model_slug": "gpt-4o"}}}}}])";

TEST(ChatFileTest, lmStudioWithVersionsAndThoughts)
{
    const ChatTree chat = only(kLmStudio);
    EXPECT_EQ(chat.title, QStringLiteral("Sorting"));
    EXPECT_TRUE(chat.pinned);
    EXPECT_EQ(chat.created.toMSecsSinceEpoch(), 1718000000000);
    EXPECT_EQ(chat.sampling[QLatin1String("systemPrompt")].toString(), QStringLiteral("Be brief."));
    EXPECT_EQ(viewOf(chat), QStringList({"How do I sort?", "Call qsort.", "Thanks"}));
    ASSERT_EQ(chat.messages.size(), 4);
    EXPECT_EQ(chat.messages[1].text, QStringLiteral("<think>\nhm\n</think>\n\nUse sort()."));
    EXPECT_EQ(chat.messages[1].record[QLatin1String("model")].toString(),
              QStringLiteral("qwen2.5-7b-instruct"));
    EXPECT_EQ(chat.messages[1].parentId, chat.messages[2].parentId) << "versions are siblings";
}

TEST(ChatFileTest, lmStudioPiecesOfOneTextAreOneText)
{
    const QByteArray pieces =
        QByteArray(kLmStudio)
            .replace(R"("text": "hm"})",
                     R"("text": "<think>", "isStructural": true},
                        {"type": "text", "text": "\nSo ", "fromDraftModel": false},
                        {"type": "text", "text": "what.\n", "fromDraftModel": true},
                        {"type": "text", "text": "</think>", "isStructural": true})")
            .replace(
                R"("text": "Use sort()."})",
                R"("text": "Use "}, {"type": "text", "text": "sort().", "fromDraftModel": true})");
    EXPECT_EQ(only(pieces).messages[1].text,
              QStringLiteral("<think>\nSo what.\n</think>\n\nUse sort()."));
}

TEST(ChatFileTest, openWebUiKeepsItsBranches)
{
    const ChatTree chat = only(kOpenWebUi);
    EXPECT_EQ(chat.title, QStringLiteral("Trees"));
    EXPECT_EQ(chat.updated.toSecsSinceEpoch(), 1718000009);
    EXPECT_EQ(chat.sampling[QLatin1String("systemPrompt")].toString(),
              QStringLiteral("You are a gardener."));
    EXPECT_EQ(allOf(chat), QStringList({"What is an oak?", "First.", "Second."}));
    EXPECT_EQ(viewOf(chat), QStringList({"What is an oak?", "Second."}));
    EXPECT_EQ(chat.messages[2].record[QLatin1String("model")].toString(),
              QStringLiteral("Llama 3.2"));
}

TEST(ChatFileTest, openWebUiThoughtsAreThoughtsHere)
{
    const auto imported = [](const char *content) {
        return only(QByteArray(kOpenWebUi).replace("Second.", content)).messages[2].text;
    };
    EXPECT_EQ(
        imported(R"(<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>)"
                 R"(Thought for 3 seconds</summary>\n> So 1 < 2,\n> and more.\n</details>\nYes.)"),
        QStringLiteral("<think>\nSo 1 < 2,\nand more.\n</think>\nYes."));
    EXPECT_EQ(imported(R"(<details type=\"reasoning\" done=\"true\" duration=\"1\">\n<summary>)"
                       R"(Thought for 1 second</summary>\n&gt; It&#x27;s &lt;b&gt; &amp;amp;\n)"
                       R"(</details>\nA &lt; b.)"),
              QStringLiteral("<think>\nIt's <b> &amp;\n</think>\nA &lt; b."))
        << "escaped since 2026, but only what was thought";
    const QString own = QStringLiteral("<details><summary>S</summary>\nmine\n</details>");
    EXPECT_EQ(imported(R"(<details><summary>S</summary>\nmine\n</details>)"), own);
}

TEST(ChatFileTest, chatGptWithoutWhatItHides)
{
    const ChatTree chat = only(kChatGpt);
    EXPECT_EQ(chat.title, QStringLiteral("Rain"));
    EXPECT_EQ(chat.created.toMSecsSinceEpoch(), 1718000000500);
    EXPECT_EQ(allOf(chat), QStringList({"Why does it rain?", "Clouds.", "Water\n\nfalls."}));
    EXPECT_EQ(viewOf(chat), QStringList({"Why does it rain?", "Water\n\nfalls."}));
    EXPECT_EQ(chat.messages[1].parentId, 1);
    EXPECT_EQ(chat.messages[2].parentId, 1) << "the tool between them is not shown";
}

TEST(ChatFileTest, chatGptThoughtsAreThoughtsAndItsMarksAreGone)
{
    const QByteArray thinking = R"("content": {"content_type": "thoughts",
        "thoughts": [{"summary": "Weather", "content": "Clouds cool."}, {"content": "So."}]})";
    const auto imported = [&](const char *said) {
        return only(QByteArray(kChatGpt)
                        .replace(R"("author": {"role": "tool"})",
                                 R"("author": {"role": "assistant"})")
                        .replace(
                            R"("content": {"content_type": "text", "parts": ["search result"]})",
                            thinking)
                        .replace(R"("Water", "falls.")", said))
            .messages.last()
            .text;
    };
    const QString thought = QStringLiteral("<think>\nClouds cool.\n\nSo.\n</think>\n\n");
    EXPECT_EQ(imported(R"("Water falls \ue200cite\ue202turn0search1\ue202turn0news2\ue201.")"),
              thought + QStringLiteral("Water falls."));
    EXPECT_EQ(imported(R"("In \ue200entity\ue202[\"city\",\"Paris\",\"France\"]\ue201 it rains.")"),
              thought + QStringLiteral("In Paris it rains."));
    EXPECT_EQ(imported(R"("Rain【4:0†a.pdf】 and 【what†ever】.")"),
              thought + QStringLiteral("Rain and 【what†ever】."));
    EXPECT_EQ(imported(R"("\ue200 without an end")"),
              thought + QStringLiteral("\uE200 without an end"));
}

TEST(ChatFileTest, janKeepsThoughtsThatAreParts)
{
    const QString path = newFolder() + "/messages.jsonl";
    writeFile(path, R"({"role":"assistant","created_at":1718000002000,"content":[)"
                    R"({"type":"reasoning","text":{"value":"Rayleigh."}},)"
                    R"({"type":"text","text":{"value":"It scatters."}}]})");
    const ReadChats read = readChatFiles({path});
    ASSERT_EQ(read.error, QString());
    EXPECT_EQ(read.chats.at(0).messages.at(0).text,
              QStringLiteral("<think>\nRayleigh.\n</think>\n\nIt scatters."));
}

TEST(ChatFileTest, janReadsAThreadAndItsMessages)
{
    const QString folder = newFolder();
    writeFile(folder + "/thread.json",
              R"({"id": "t", "object": "thread", "title": "Physics", "created": 1718000000,
                  "updated": 1718000200, "assistants": [{"instructions": "Joke.",
                  "model": {"id": "llama3.2-1b", "engine": "llama-cpp"}}]})");
    writeFile(
        folder + "/messages.jsonl",
        R"({"id":"1","object":"thread.message","role":"user","created_at":1718000001000,"content":[{"type":"text","text":{"value":"Hi!?","annotations":[]}}]}
{"id":"2","object":"thread.message","role":"assistant","created_at":1718000002000,"content":[{"type":"text","text":{"value":"Hello.","annotations":[]}}]}
)");
    for (const char *name : {"/thread.json", "/messages.jsonl"}) {
        const ReadChats read = readChatFiles({folder + QLatin1String(name)});
        ASSERT_EQ(read.chats.size(), 1) << read.error.toStdString();
        EXPECT_EQ(read.chats[0].title, QStringLiteral("Physics"));
        EXPECT_EQ(viewOf(read.chats[0]), QStringList({"Hi!?", "Hello."}));
        EXPECT_EQ(read.chats[0].messages[1].created.toSecsSinceEpoch(), 1718000002);
        EXPECT_EQ(read.chats[0].sampling[QLatin1String("systemPrompt")].toString(),
                  QStringLiteral("Joke."));
    }
    writeFile(folder + "/messages.jsonl", "{\"role\":\"user\"}\n");
    EXPECT_FALSE(readChatFiles({folder + "/thread.json"}).error.isEmpty());
    QFile::remove(folder + "/messages.jsonl");
    EXPECT_FALSE(readChatFiles({folder + "/thread.json"}).error.isEmpty());
}

/// A chat with every member set, whose tree has two roots and a branch.
ChatTree everything()
{
    ChatTree chat;
    chat.title = QStringLiteral("A \"title\"\n");
    chat.named = chat.pinned = true;
    chat.created = QDateTime::fromMSecsSinceEpoch(1700000000123);
    chat.updated = QDateTime::fromMSecsSinceEpoch(1700000000456);
    chat.draft = QStringLiteral("half");
    chat.folder = QStringLiteral("Work & play");
    chat.sampling = {{QStringLiteral("temperature"), 0.25}, {QStringLiteral("seed"), 7}};
    const qint64 parents[] = {0, 1, 1, 3, 0};
    const Message::State states[] = {Message::State::Complete, Message::State::Stopped,
                                     Message::State::Failed, Message::State::Complete,
                                     Message::State::Interrupted};
    for (int i = 0; i < 5; ++i) {
        Message message =
            makeMessage(i % 2 ? QStringLiteral("assistant") : QStringLiteral("user"),
                        QStringLiteral("text %1 äöü \U0001f525 \t").arg(i), parents[i]);
        message.id = i + 1;
        message.created = QDateTime::fromMSecsSinceEpoch(1700000001000 + i);
        message.state = states[i];
        message.error = i == 2 ? QStringLiteral("broke") : QString();
        message.record = {{QStringLiteral("model"), QStringLiteral("m")},
                          {QStringLiteral("seed"), 12345678901234.0 + i}};
        chat.messages.append(message);
    }
    chat.currentLeaf = 4;
    return chat;
}

TEST(ChatFileTest, whatIsStoredComesBackExactly)
{
    const QByteArray file = toJson({everything()});
    EXPECT_EQ(toJson(readChats(file)), file);

    ConversationStore store(newFolder());
    const QList<qint64> ids = store.addTrees({everything(), everything()});
    ASSERT_EQ(ids.size(), 2);
    ASSERT_TRUE(store.tree(ids[1]));
    EXPECT_EQ(toJson({*store.tree(ids[1])}), file) << "also through the database";
    EXPECT_EQ(store.path(store.conversation(ids[1])->currentLeaf).size(), 3);
    EXPECT_EQ(store.list(QStringLiteral("text")).size(), 2) << "and can be found";
    EXPECT_TRUE(store.list().first().pinned);
}

TEST(ChatFileTest, whatIsTakenOverIsOnTheDisk)
{
    const QString folder = newFolder();
    qint64 id = 0;
    {
        ConversationStore store(folder);
        id = store.addTrees({everything()}).value(0);
    }
    ConversationStore store(folder);
    ASSERT_TRUE(store.tree(id));
    EXPECT_EQ(toJson({*store.tree(id)}), toJson({everything()}));
}

TEST(ChatFileTest, ownFilesAreCheckedInEveryMember)
{
    const QJsonObject good = QJsonDocument::fromJson(toJson({everything()})).object();
    const auto changed = [&](const char *key, const QJsonValue &value, bool inMessage) {
        QJsonObject file = good;
        QJsonArray chats = file[QLatin1String("chats")].toArray();
        QJsonObject chat = chats[0].toObject();
        if (inMessage) {
            QJsonArray messages = chat[QLatin1String("messages")].toArray();
            QJsonObject message = messages[1].toObject();
            message[QLatin1String(key)] = value;
            messages[1] = message;
            chat[QLatin1String("messages")] = messages;
        } else {
            chat[QLatin1String(key)] = value;
        }
        chats[0] = chat;
        file[QLatin1String("chats")] = chats;
        return QJsonDocument(file).toJson();
    };
    EXPECT_EQ(readChats(changed("title", "x", false)).size(), 1);
    refusal(changed("messages", 1, false));
    refusal(changed("current", 6, false));
    refusal(changed("current", -1, false));
    refusal(changed("created", "yesterday", false));
    refusal(changed("parent", 2, true)); // itself
    refusal(changed("parent", 3, true)); // a later one
    refusal(changed("parent", -1, true));
    refusal(changed("parent", "1", true));
    refusal(changed("role", "system", true));
    EXPECT_EQ(readChats(changed("role", "tool", true)).size(), 1);
    // What may run unasked is not for a file to say.
    const QJsonObject tools{{"enabled", QJsonArray{"a/b"}}, {"allowed", QJsonObject{{"a/b", "c"}}}};
    EXPECT_EQ(readChats(changed("tools", tools, false)).first().tools,
              (QJsonObject{{"enabled", QJsonArray{"a/b"}}}));
    refusal(changed("text", 3, true));
    refusal(changed("state", "odd", true));
    QJsonObject newer = good;
    newer[QLatin1String("version")] = 2;
    EXPECT_TRUE(refusal(QJsonDocument(newer).toJson()).contains(QStringLiteral("newer")));
}

TEST(ChatFileTest, everyCutOfAFileIsRefused)
{
    for (const QByteArray &file : {kLmStudio, kOpenWebUi, kChatGpt, toJson({everything()})}) {
        for (qsizetype length = 0; length < file.trimmed().size(); length += 7)
            refusal(file.trimmed().left(length));
    }
}

TEST(ChatFileTest, damagedTreesAreRefused)
{
    const auto webUi = [](const char *parentOfA, const char *parentOfB) {
        return QByteArray("{\"chat\":{\"history\":{\"currentId\":\"a\",\"messages\":{"
                          "\"a\":{\"role\":\"user\",\"content\":\"x\",\"parentId\":") +
               parentOfA +
               "},\"b\":{\"role\":\"user\",\"content\":\"y\",\"parentId\":" + parentOfB + "}}}}}";
    };
    EXPECT_EQ(only(webUi("null", "\"a\"")).messages.size(), 2);
    EXPECT_TRUE(refusal(webUi("\"b\"", "\"a\"")).contains(QStringLiteral("circle")));
    refusal(webUi("\"a\"", "null")); // its own parent
    EXPECT_TRUE(refusal(webUi("null", "\"gone\"")).contains(QStringLiteral("missing")));
    refusal("[]");
    refusal("{}");
    refusal("[1]");
    refusal("3");
    refusal("{\"chat\": 3}");
    refusal("{\"mapping\": []}");
    refusal("{\"mapping\": {\"a\": 3}}");
    refusal("{\"messages\": [3]}");
    refusal("{\"messages\": [{\"versions\": []}]}");
    refusal("{\"messages\": [{\"versions\": [{}], \"currentlySelected\": 1}]}");
    refusal("{\"messages\": [{\"versions\": [{\"type\": \"multiStep\", \"steps\": 1}]}]}");
    refusal(QByteArray(1'000'000, '['));
    refusal(QByteArray("{\"messages\":").repeated(100'000));
}

TEST(ChatFileTest, aLongChatIsNotDeepRecursion)
{
    QByteArray nodes;
    constexpr int kMessages = 200'000;
    for (int i = 0; i < kMessages; ++i) {
        const QByteArray key = QByteArray::number(i);
        nodes += (i ? ",\"" : "\"") + key +
                 "\":{\"role\":\"user\",\"content\":\"x\",\"parentId\":" +
                 (i ? "\"" + QByteArray::number(i - 1) + "\"" : QByteArray("null")) + "}";
    }
    const ChatTree chat =
        only("{\"history\":{\"currentId\":\"" + QByteArray::number(kMessages - 1) +
             "\",\"messages\":{" + nodes + "}}}");
    EXPECT_EQ(chat.messages.size(), kMessages);
    EXPECT_EQ(chat.currentLeaf, kMessages);
}

TEST(ChatFileTest, oneBadFileIsNamedAndTheOthersAreRead)
{
    const QString folder = newFolder();
    writeFile(folder + "/good.json", kLmStudio);
    writeFile(folder + "/bad.json", kLmStudio.left(300));
    writeFile(folder + "/export.zip.json", QByteArray("PK\x03\x04rest", 8));
    EXPECT_EQ(readChatFiles({folder + "/good.json"}).chats.size(), 1);
    const ReadChats both =
        readChatFiles({folder + "/good.json", folder + "/bad.json", folder + "/good.json"});
    EXPECT_EQ(both.chats.size(), 2);
    EXPECT_TRUE(both.error.isEmpty());
    ASSERT_EQ(both.problems.size(), 1);
    EXPECT_TRUE(both.problems[0].contains(QStringLiteral("bad.json")));
    EXPECT_TRUE(readChatFiles({folder + "/bad.json"}).error.contains(QStringLiteral("bad.json")));
    EXPECT_TRUE(
        readChatFiles({folder + "/export.zip.json"}).error.contains(QStringLiteral("archive")));
    EXPECT_FALSE(readChatFiles({folder + "/missing.json"}).error.isEmpty());
}

TEST(ChatFileTest, markdownForPeople)
{
    Message question = makeMessage(QStringLiteral("user"), QStringLiteral("Why?\n"), 0);
    Message reply = makeMessage(QStringLiteral("assistant"),
                                QStringLiteral("<think>\nhm\nso\n</think>\n\nBecause."), 1);
    reply.record[QLatin1String("model")] = QStringLiteral("Tiny");
    EXPECT_EQ(toMarkdown(QStringLiteral("A\nchat"), {question, reply}),
              QStringLiteral("# A chat\n\n## You\n\nWhy?\n\n## Tiny\n\n> hm\n> so\n\nBecause.\n"));
    EXPECT_EQ(chatFileName(QStringLiteral("../a/b: c?"), QStringLiteral("md")),
              QStringLiteral("_a_b_ c_.md"));
    EXPECT_EQ(chatFileName(QStringLiteral("..."), QStringLiteral("md")), QStringLiteral("Chat.md"));
}

TEST(ChatFileTest, aFileIsWrittenWholeOrNotAtAll)
{
    const QString folder = newFolder();
    EXPECT_TRUE(writeChatFile(folder + "/a.md", "text").isEmpty());
    EXPECT_FALSE(writeChatFile(folder + "/none/a.md", "text").isEmpty());
    QFile file(folder + "/a.md");
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("text"));
}

} // namespace
} // namespace fireside::test
