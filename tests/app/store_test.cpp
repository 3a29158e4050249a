#include "app/chat/conversation_store.h"

#include "support.h"
#include "tests/support/require.h"

#include <QSqlDatabase>

#include <algorithm>

namespace fireside::test {
namespace {

const QString kUser = QStringLiteral("user");
const QString kAssistant = QStringLiteral("assistant");

QStringList texts(const QList<Message> &path)
{
    QStringList list;
    for (const Message &message : path)
        list.append(message.text);
    return list;
}

TEST(StoreTest, keepsConversationsOverARestart)
{
    const QString folder = newFolder();
    SamplingSettings sampling;
    sampling.systemPrompt = "Be brief.";
    qint64 id = 0;
    {
        ConversationStore store(folder);
        EXPECT_FALSE(store.inMemory());
        EXPECT_TRUE(store.problem().isEmpty());
        id = store.addConversation(QStringLiteral("Heat pumps"), sampling);
        Message reply = makeMessage(kAssistant, QStringLiteral("Grüße 😀"), addChat(store, id, 3));
        reply.record = {{QStringLiteral("seed"), 7}};
        store.addMessage(id, reply);
        store.setDraft(id, QStringLiteral("and then"));
        store.setDraft(0, QStringLiteral("a new one"));
        store.setPinned(id, true);
    }
    ConversationStore store(folder);
    const auto row = store.conversation(id);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->title, QStringLiteral("Heat pumps"));
    EXPECT_EQ(row->sampling, sampling);
    EXPECT_EQ(row->draft, QStringLiteral("and then"));
    EXPECT_EQ(store.newChatDraft(), QStringLiteral("a new one"));
    const QList<Message> path = store.path(row->currentLeaf);
    ASSERT_EQ(path.size(), 4);
    EXPECT_EQ(path.last().text, QStringLiteral("Grüße 😀"));
    EXPECT_EQ(path.last().record[QLatin1String("seed")].toInt(), 7);
    EXPECT_EQ(path.last().parentId, path[2].id);
    EXPECT_TRUE(store.list().first().pinned);
}

TEST(StoreTest, branchesKeepEverything)
{
    ConversationStore store(newFolder());
    const qint64 id = store.addConversation({}, {});
    const qint64 root = store.addMessage(id, makeMessage(kUser, QStringLiteral("q"), 0));
    const qint64 first = store.addMessage(id, makeMessage(kAssistant, QStringLiteral("a1"), root));
    const qint64 below = store.addMessage(id, makeMessage(kUser, QStringLiteral("q2"), first));
    const qint64 second = store.addMessage(id, makeMessage(kAssistant, QStringLiteral("a2"), root));
    const qint64 third = store.addMessage(id, makeMessage(kAssistant, QStringLiteral("a3"), root));
    EXPECT_EQ(store.conversation(id)->currentLeaf, third);
    EXPECT_EQ(texts(store.path(third)), (QStringList{QStringLiteral("q"), QStringLiteral("a3")}));
    const auto middle = store.message(second);
    ASSERT_TRUE(middle);
    EXPECT_EQ(middle->siblingIndex, 1);
    EXPECT_EQ(middle->siblingCount, 3);
    EXPECT_EQ(store.sibling(second, -1), first);
    EXPECT_EQ(store.sibling(second, 1), third);
    EXPECT_EQ(store.sibling(third, 1), 0);
    EXPECT_EQ(store.sibling(first, 2), third);
    EXPECT_EQ(store.newestLeafBelow(first), below);
    EXPECT_EQ(store.newestLeafBelow(root), third);
    EXPECT_EQ(texts(store.path(below)),
              (QStringList{QStringLiteral("q"), QStringLiteral("a1"), QStringLiteral("q2")}));
    // The first message has siblings of its own: an edited first question.
    const qint64 other = store.addMessage(id, makeMessage(kUser, QStringLiteral("Q"), 0));
    EXPECT_EQ(store.sibling(root, 1), other);
    // Another conversation's first message is none.
    const qint64 chat2 = store.addConversation({}, {});
    const qint64 alone = store.addMessage(chat2, makeMessage(kUser, QStringLiteral("x"), 0));
    EXPECT_EQ(store.message(alone)->siblingCount, 1);
}

TEST(StoreTest, deletingCanBeUndoneUntilTheNextStart)
{
    const QString folder = newFolder();
    qint64 kept = 0, gone = 0;
    {
        ConversationStore store(folder);
        kept = store.addConversation(QStringLiteral("kept"), {});
        gone = store.addConversation(QStringLiteral("gone"), {});
        addChat(store, kept, 4);
        addChat(store, gone, 4);
        store.setDeleted(kept, true);
        EXPECT_FALSE(store.conversation(kept));
        EXPECT_EQ(store.list().size(), 1);
        store.setDeleted(kept, false);
        EXPECT_EQ(store.list().size(), 2);
        store.setDeleted(gone, true);
    }
    ConversationStore store(folder);
    store.setDeleted(gone, false);
    EXPECT_FALSE(store.conversation(gone));
    ASSERT_TRUE(store.conversation(kept));
    EXPECT_EQ(store.path(store.conversation(kept)->currentLeaf).size(), 4);
    EXPECT_TRUE(store.list(QStringLiteral("number")).size() == 1);
}

TEST(StoreTest, listIsNewestFirstWithPinnedOnTop)
{
    ConversationStore store(newFolder());
    const qint64 a = store.addConversation(QStringLiteral("a"), {});
    const qint64 b = store.addConversation(QStringLiteral("b"), {});
    const qint64 c = store.addConversation(QStringLiteral("c"), {});
    const auto ids = [&] {
        QList<qint64> list;
        for (const ConversationSummary &summary : store.list())
            list.append(summary.id);
        return list;
    };
    EXPECT_EQ(ids(), (QList<qint64>{c, b, a}));
    store.setPinned(a, true);
    EXPECT_EQ(ids(), (QList<qint64>{a, c, b}));
}

TEST(StoreTest, searchFindsWordsAnywhereAndShowsThem)
{
    ConversationStore store(newFolder());
    const qint64 pumps = store.addConversation(QStringLiteral("Heating"), {});
    store.addMessage(
        pumps,
        makeMessage(kUser, QStringLiteral("How does a heat pump work in a cold WINTER?"), 0));
    const qint64 cakes = store.addConversation(QStringLiteral("Winter cakes"), {});
    store.addMessage(cakes,
                     makeMessage(kUser, QStringLiteral("100% cocoa, o'clock \"quoted\" a_b"), 0));
    const qint64 tokyo = store.addConversation(QStringLiteral("Tokyo"), {});
    store.addMessage(tokyo, makeMessage(kUser, QStringLiteral("私は東京に住んでいます"), 0));
    const auto found = [&](const char *words) {
        QList<qint64> list;
        for (const ConversationSummary &summary : store.list(QString::fromUtf8(words)))
            list.append(summary.id);
        std::sort(list.begin(), list.end());
        return list;
    };
    EXPECT_EQ(found("winter"), (QList<qint64>{pumps, cakes}));
    EXPECT_EQ(found("pump heat"), (QList<qint64>{pumps}));
    EXPECT_EQ(found("pu wint"), (QList<qint64>{pumps}));
    EXPECT_EQ(found("東京"), (QList<qint64>{tokyo}));
    EXPECT_EQ(found("%"), (QList<qint64>{cakes}));
    EXPECT_EQ(found("\"quoted\""), (QList<qint64>{cakes}));
    EXPECT_TRUE(found("x\"OR\"cocoa").isEmpty()) << "one word, not two and an operator";
    for (const char *odd :
         {"OR", "AND NOT", "*", "^x", "a\" OR \"b", "(", "NEAR(", "text:", "'; --", "_"})
        found(odd); // none of it is an operator
    EXPECT_TRUE(store.problem().isEmpty());
    EXPECT_FALSE(store.inMemory());
    EXPECT_TRUE(found("nothing").isEmpty());
    EXPECT_TRUE(
        store.list(QStringLiteral("pump")).first().snippet.contains(QStringLiteral("heat pump")));
}

TEST(StoreTest, whatIsFoundIsShownWithoutMarks)
{
    ConversationStore store(newFolder());
    const qint64 chat = store.addConversation(QStringLiteral("Marks"), {});
    const auto shown = [&](const char *text, const char *word) {
        store.addMessage(chat, makeMessage(kUser, QString::fromUtf8(text), 0));
        return store.list(QString::fromUtf8(word)).first().snippet;
    };
    const auto expectShown = [&](const char *text, const char *word, const char *snippet) {
        EXPECT_EQ(shown(text, word), QString::fromUtf8(snippet)) << text;
    };
    expectShown("A **bold alder** and *slanted* `code`", "alder", "A bold alder and slanted code");
    expectShown("## Birch\n\n> ***quoted***, ~~gone~~", "birch", "Birch quoted, gone");
    expectShown("__Cedar__ and _fir_ in snake_case_name", "cedar",
                "Cedar and fir in snake_case_name");
    expectShown("See [the **maple**](https://example.org/a).", "maple", "See the maple.");
    expectShown("| Elm | 2 |\n|-----|:-:|\n| Ash | 3 |", "elm", "Elm | 2 Ash | 3");
    expectShown("```py\nhazel = 2 ** 3 * x\n```", "hazel", "hazel = 2 ** 3 * x");
    expectShown("* oak\n* pine", "oak", "* oak * pine");
    // Where the marks themselves are searched for, or lie too far apart, they stay.
    expectShown("Go to [it](https://walnut.example)", "walnut", "…it](https://walnut.example)");
    EXPECT_TRUE(shown(QByteArray(3000, 'x') + " **willow** " + QByteArray(3000, 'y'), "willow")
                    .startsWith(QStringLiteral("…willow yyy")));
    for (const char *odd :
         {"**", "_", "[](", "`", "|", "~~~", "*_*_*", "**", "\\", "![", "# # >"}) {
        const QByteArray text = QByteArray(odd) + " yew " + odd;
        EXPECT_TRUE(shown(text, "yew").contains(QStringLiteral("yew"))) << odd;
    }
    EXPECT_TRUE(store.problem().isEmpty());
}

TEST(StoreTest, searchGivesTheNewestMatchOfEveryChat)
{
    constexpr int kChats = 1100; // more than texts are read of at once
    ConversationStore store(newFolder());
    QList<ChatTree> trees(kChats);
    for (int i = 0; i < kChats; ++i) {
        trees[i].created = trees[i].updated = QDateTime::currentDateTimeUtc();
        trees[i].messages = {
            makeMessage(kUser, QStringLiteral("common 分 old%1").arg(i), 0),
            makeMessage(kUser, QStringLiteral("common 分 new%1").arg(i), i % 2),
            makeMessage(kUser, i % 3 == 0 ? QStringLiteral("Common 分") : QStringLiteral("-"), 1)};
        for (int j = 0; j < 3; ++j)
            trees[i].messages[j].id = j + 1;
    }
    const QList<qint64> chats = store.addTrees(trees);
    ASSERT_EQ(chats.size(), kChats);
    QHash<qint64, qint64> newest; // as they were stored, three for each
    for (int i = 0; i < kChats; ++i)
        newest[chats[i]] = 3 * i + (i % 3 == 0 ? 3 : 2);
    const auto expectNewest = [&] {
        for (const char *words : {"comm", "分"}) { // by the index, and without
            const QList<ConversationSummary> found = store.list(QString::fromUtf8(words));
            ASSERT_EQ(found.size(), newest.size());
            for (const ConversationSummary &chat : found) {
                EXPECT_EQ(chat.match, newest.value(chat.id));
                EXPECT_TRUE(chat.snippet.contains(QStringLiteral("ommon"))) << chat.match;
            }
        }
    };
    expectNewest();
    // Later messages of earlier chats, and a new chat.
    for (int i = 0; i < kChats; i += 100)
        newest[chats[i]] =
            store.addMessage(chats[i], makeMessage(kUser, QStringLiteral("commonly 分"), 0));
    const qint64 late = store.addConversation({}, {});
    newest[late] = store.addMessage(late, makeMessage(kUser, QStringLiteral("common 分"), 0));
    expectNewest();
}

TEST(StoreTest, searchFollowsWhatChanges)
{
    ConversationStore store(newFolder());
    if (!store.hasFullTextIndex())
        FIRESIDE_SKIP("this SQLite has no FTS5");
    const qint64 id = store.addConversation({}, {});
    Message reply = makeMessage(kAssistant, QStringLiteral("alpha"), 0);
    reply.state = Message::State::Streaming;
    const qint64 message = store.addMessage(id, reply);
    const auto hits = [&](const char *word) {
        return store.list(QString::fromLatin1(word)).size();
    };
    EXPECT_EQ(hits("alpha"), 0); // still growing
    store.updateMessage(message, QStringLiteral("alpha beta"), Message::State::Streaming, {}, {});
    store.updateMessage(message, QStringLiteral("alpha beta gamma"), Message::State::Complete, {},
                        {});
    EXPECT_EQ(hits("gamma"), 1);
    store.updateMessage(message, QStringLiteral("alpha delta"), Message::State::Complete, {}, {});
    EXPECT_EQ(hits("gamma"), 0);
    EXPECT_EQ(hits("delta alpha"), 1);
}

TEST(StoreTest, opensTenThousandMessages)
{
    ConversationStore store(newFolder());
    const qint64 id = store.addConversation({}, {});
    const qint64 leaf = addChat(store, id, 10'000);
    const QList<Message> path = store.path(leaf);
    ASSERT_EQ(path.size(), 10'000);
    EXPECT_EQ(path.first().text, QStringLiteral("message number 0 of this chat"));
    EXPECT_EQ(path.last().id, leaf);
    EXPECT_EQ(store.newestLeafBelow(path.first().id), leaf);
}

} // namespace
} // namespace fireside::test
