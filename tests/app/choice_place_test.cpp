// Where other tokens may stand in an answer: at its tokens, never within one.
#include "app/chat/message_parts.h"
#include "app/runtime/choice_place.h"
#include "engine/text/tokenizer.h"
#include "support.h"
#include "tests/support/starter.h"

#include <random>

namespace fireside::test {
namespace {

class ChoicePlaceTest : public testing::Test
{
protected:
    QList<int> encoded(const QString &text) const
    {
        const auto ids = tokenizer->encode(MarkedText::fromUser(text.toStdString()), false);
        return {ids.begin(), ids.end()};
    }
    QString decoded(const QList<int> &ids) const
    {
        std::string bytes;
        for (const int id : ids)
            bytes += tokenizer->bytes(id, true);
        return QString::fromStdString(bytes);
    }
    ChoicePlace placeAt(const QString &answer, qsizetype at, const QList<int> &written = {}) const
    {
        return choicePlace(*tokenizer, answer.left(at), answer.mid(at), written);
    }

    std::unique_ptr<Tokenizer> tokenizer = Tokenizer::open(starterModel());
};

TEST_F(ChoicePlaceTest, IsTheTokenThatHoldsThePlace)
{
    const char *const texts[] = {
        "I'm the king of the hill, and the weather is fine.",
        "Die Straße nach Köln ist länger; übermorgen fährt der Zug.",
        "今天天气很好，我们去公园散步吧。",
        "First line\nsecond line\n\n    indented\n",
        "```python\ndef f(x):\n    return x  + 1\n```\nDone.",
        "👩‍👩‍👧 and 🎉 end",
    };
    for (const char *const one : texts) {
        const QString text = QString::fromUtf8(one);
        const QList<int> ids = encoded(text);
        for (qsizetype at = 0; at <= text.size(); ++at) {
            if (at < text.size() && text[at].isLowSurrogate())
                continue;
            SCOPED_TRACE(QStringLiteral("%1 at %2").arg(text).arg(at).toStdString());
            const ChoicePlace place = placeAt(text, at);
            const qsizetype count = place.tokens.ids.size();
            EXPECT_FALSE(place.tokens.whole);
            EXPECT_EQ(place.tokens.ids, ids.first(count)) << "as the whole answer is divided";
            EXPECT_EQ(decoded(place.tokens.ids), place.begun);
            EXPECT_TRUE(text.startsWith(place.begun));
            EXPECT_LE(place.begun.size(), at);
            // The next token holds the place, with the rest of a character that it begins.
            std::string next;
            for (qsizetype i = count; i < ids.size(); ++i) {
                next += tokenizer->bytes(ids[i], true);
                if (QString::fromStdString(next).toStdString() == next)
                    break;
            }
            if (at < text.size()) {
                EXPECT_GT((place.begun + QString::fromStdString(next)).size(), at);
            } else {
                EXPECT_EQ(count, ids.size());
            }
        }
    }
    // A word is chosen with the space before it.
    EXPECT_EQ(placeAt(QStringLiteral("I'm the king"), 4).begun, QStringLiteral("I'm"));
}

TEST_F(ChoicePlaceTest, IsWhereTheReplyWasDivided)
{
    const QString answer = QStringLiteral("I'm the king");
    const QList<int> parts = encoded(QStringLiteral("I'm")) + encoded(QStringLiteral(" t")) +
                             encoded(QStringLiteral("he")) + encoded(QStringLiteral(" king"));
    ASSERT_NE(parts, encoded(answer));
    const ChoicePlace place = placeAt(answer, 6, parts);
    EXPECT_EQ(place.begun, QStringLiteral("I'm t"));
    EXPECT_EQ(place.tokens.ids, encoded(QStringLiteral("I'm")) + encoded(QStringLiteral(" t")));
    EXPECT_TRUE(place.tokens.whole);
    // Thoughts are before it, though the same words are in them.
    const QList<int> thoughts = encoded(QStringLiteral("I'm the king, am I?\n"));
    EXPECT_EQ(placeAt(answer, 6, thoughts + parts).tokens.ids, thoughts + place.tokens.ids);
    EXPECT_EQ(placeAt(answer, 0, thoughts + parts).tokens.ids, thoughts);
    EXPECT_EQ(placeAt(answer, 0, thoughts + parts).begun, QString());
    // A small model writes bytes that are no character; they are shown as U+FFFD.
    const QList<int> euro = encoded(QStringLiteral("a€"));
    ASSERT_GE(euro.size(), 3) << "each byte has a token of its own";
    const QList<int> broken = euro.first(2) + encoded(QStringLiteral(" king"));
    const ChoicePlace behind = placeAt(QStringLiteral("a\uFFFD king"), 3, broken);
    EXPECT_TRUE(behind.tokens.whole);
    EXPECT_EQ(behind.tokens.ids, euro.first(2));
    EXPECT_EQ(placeAt(QStringLiteral("a\uFFFD king"), 1, broken).tokens.ids, euro.first(1));
    // Ids of another text.
    const ChoicePlace other = placeAt(answer, 6, encoded(QStringLiteral("Something else")));
    EXPECT_EQ(other.begun, QStringLiteral("I'm"));
    EXPECT_FALSE(other.tokens.whole);
}

TEST(PackedTokensTest, ComeBack)
{
    const QList<int> ids{0, 1, 127, 128, 300, 151'643, 16'383, 16'384, 2'147'483'647};
    EXPECT_EQ(unpackedTokens(packedTokens(ids)), ids);
    EXPECT_EQ(unpackedTokens(packedTokens({})), QList<int>());
    for (const char *broken : {"!", "gA==", "/////////w==", "////////fw=="})
        EXPECT_EQ(unpackedTokens(QString::fromLatin1(broken)), QList<int>()) << broken;
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) { // nothing that a file holds may do harm
        QString text = packedTokens(ids);
        text[qsizetype(random() % size_t(text.size()))] = QChar('!' + int(random() % 90));
        for (const int id : unpackedTokens(text))
            EXPECT_GE(id, 0);
    }
}

} // namespace
} // namespace fireside::test
