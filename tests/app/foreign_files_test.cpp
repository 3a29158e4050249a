#include "app/exchange/chat_file.h"

#include "support.h"

#include <QDataStream>
#include <QFile>

#include <zip.h>

// Chats in files that are not JSON: GPT4All's streams, ChatGPT's archive.
namespace fireside::test {
namespace {

/// As GPT4All writes a chat: its version of the format decides what stands where.
QByteArray gpt4AllChat(qint32 version, qint32 messages = 2)
{
    QByteArray content;
    QDataStream out(&content, QIODevice::WriteOnly);
    out << quint32(0xF5D553CC) << version;
    out.setVersion(QDataStream::Qt_6_2);
    out << qint64(1718000000) << QStringLiteral("id") << QStringLiteral("Oaks") << QString()
        << QStringLiteral("llama3-8b.gguf") << quint32(1) << QStringLiteral("my documents");
    if (version < 11)
        out << false << qint32(1) << qint32(0) << QString() << QString() << quint32(7);
    out << messages;
    for (const bool reply : {false, true}) {
        if (version < 12)
            out << qint32(0);
        out << (reply ? QStringLiteral("Response: ") : QStringLiteral("Prompt: "))
            << (reply ? QStringLiteral("A tree.") : QStringLiteral("What is an oak?"));
        if (version < 10)
            out << QString();
        out << QString() << false << false << true << false;
        if (version >= 11 && reply)
            out << false;
        if (version < 8) {
            out << QStringLiteral("1. In a.txt.") << quint32(1) << QStringLiteral("excerpt");
        } else {
            out << qint64(reply ? 0 : 1);
            for (int i = 0; i < (reply ? 0 : 7); ++i)
                out << QStringLiteral("of a source");
            if (!reply)
                out << qint32(-1) << qint32(1) << qint32(2);
        }
        if (version >= 10)
            out << qint64(0);
        if (version >= 12 && !reply)
            out << qint64(0);
        if (version >= 12 && reply) {
            out << qint64(1) << QStringLiteral("Response: ") << QString() << qint64(1)
                << QStringLiteral("Think: ") << QStringLiteral("<think>Hm.</think>") << qint32(1500)
                << qint64(0);
        }
    }
    return content;
}

class ForeignFilesTest : public testing::Test
{
protected:
    ReadChats read(const QByteArray &content, const char *name = "gpt4all-a.chat")
    {
        const QString path = m_folder + QLatin1Char('/') + QLatin1String(name);
        writeFile(path, content);
        return readChatFiles({path});
    }
    QString archive(const QList<std::pair<QByteArray, QByteArray>> &files)
    {
        const QString path = m_folder + QStringLiteral("/export.zip");
        QFile::remove(path);
        zip_t *zip = zip_open(qPrintable(path), ZIP_CREATE, nullptr);
        for (const auto &[name, content] : files)
            zip_file_add(
                zip, name.constData(),
                zip_source_buffer(zip, content.constData(), zip_uint64_t(content.size()), 0),
                ZIP_FL_ENC_UTF_8);
        EXPECT_EQ(zip_close(zip), 0);
        return path;
    }
    static QByteArray conversation(const char *question)
    {
        return QByteArray(R"({"title": "T", "create_time": 1718000000, "update_time": 1718000001,
            "current_node": "b", "mapping": {"a": {"id": "a", "parent": null}, "b": {"id": "b",
            "parent": "a", "message": {"author": {"role": "user"}, "create_time": 1718000001,
            "content": {"content_type": "text", "parts": [")") +
               question + R"("]}}}}})";
    }

    QString m_folder = newFolder();
};

TEST_F(ForeignFilesTest, ChatsOfGpt4AllOfEachFormat)
{
    for (const qint32 version : {6, 7, 8, 9, 10, 11, 12}) {
        const ReadChats chats = read(gpt4AllChat(version));
        ASSERT_EQ(chats.error, QString()) << version;
        const ChatTree &chat = chats.chats.at(0);
        EXPECT_EQ(chat.title, QStringLiteral("Oaks"));
        EXPECT_EQ(chat.created.toSecsSinceEpoch(), 1718000000);
        ASSERT_EQ(chat.messages.size(), 2);
        EXPECT_EQ(chat.messages[0].role, QStringLiteral("user"));
        EXPECT_EQ(chat.messages[0].text, QStringLiteral("What is an oak?"));
        EXPECT_EQ(chat.messages[1].parentId, 1);
        EXPECT_EQ(chat.messages[1].record[QLatin1String("model")].toString(),
                  QStringLiteral("llama3-8b.gguf"));
        const QString thought = QStringLiteral("<think>\nHm.\n</think>\n");
        EXPECT_EQ(chat.messages[1].text,
                  (version < 12 ? QString() : thought) + QStringLiteral("A tree."));
    }
}

TEST_F(ForeignFilesTest, DamagedChatsOfGpt4AllAreRefusedInWords)
{
    const QByteArray whole = gpt4AllChat(12);
    for (qsizetype length = 4; length < whole.size(); ++length)
        EXPECT_NE(read(whole.left(length)).error, QString()) << length;
    EXPECT_TRUE(read(gpt4AllChat(13)).error.contains(QStringLiteral("13")));
    EXPECT_NE(read(gpt4AllChat(12, -1)).error, QString());
    EXPECT_NE(read(gpt4AllChat(12, 2'000'000'000)).error, QString());
    // Any byte may be another one: it is read or refused, and that is all.
    for (qsizetype at = 4; at < whole.size(); ++at) {
        QByteArray changed = whole;
        changed[at] = char(0xFF);
        read(changed);
    }
}

TEST_F(ForeignFilesTest, TheArchiveOfChatGptIsReadAsItIs)
{
    const QByteArray list = "[" + conversation("first") + "]";
    ReadChats chats =
        readChatFiles({archive({{"chat.html", "<html>"}, {"conversations.json", list}})});
    ASSERT_EQ(chats.error, QString());
    ASSERT_EQ(chats.chats.size(), 1);
    EXPECT_EQ(chats.chats[0].messages[0].text, QStringLiteral("first"));
    chats = readChatFiles(
        {archive({{"export/conversations-000.json", list},
                  {"export/conversations-001.json", "[" + conversation("second") + "]"}})});
    ASSERT_EQ(chats.chats.size(), 2) << qPrintable(chats.error);
    EXPECT_EQ(chats.chats[1].messages[0].text, QStringLiteral("second"));
}

TEST_F(ForeignFilesTest, BadArchivesAreRefusedInWords)
{
    EXPECT_TRUE(readChatFiles({archive({{"notes.txt", "x"}})})
                    .error.contains(QStringLiteral("conversations.json")));
    EXPECT_NE(readChatFiles({archive({{"conversations.json", "[{"}})}).error, QString());
    QFile file(archive({{"conversations.json", "[" + conversation("first") + "]"}}));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    EXPECT_NE(read(whole.left(whole.size() / 2), "cut.zip").error, QString());
    QByteArray damaged = whole;
    for (qsizetype at = 60; at < 90; ++at)
        damaged[at] = char(~damaged[at]);
    EXPECT_NE(read(damaged, "damaged.zip").error, QString());
}

} // namespace
} // namespace fireside::test
