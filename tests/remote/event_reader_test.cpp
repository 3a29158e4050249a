#include "app/remote/event_reader.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

QList<ServerEvent> read(const QByteArray &stream, qsizetype piece)
{
    EventReader reader;
    QList<ServerEvent> events;
    for (qsizetype at = 0; at < stream.size(); at += piece)
        reader.push(stream.mid(at, piece), events);
    reader.finish(events);
    return events;
}

TEST(EventReaderTest, AnyPiecesAndLineEndsGiveTheSameEvents)
{
    const QByteArray stream =
        "\xEF\xBB\xBF: hello\n\nevent: a\ndata: one\ndata:two\n\n\n\nid: 3\n"
        "data:  three\nretry\n\ndata\n\nevent: lost\n\nerror: four\n\ndata: end";
    const QList<ServerEvent> wanted{
        {"a", "one\ntwo"}, {"", " three"}, {"", ""}, {"error", "four"}, {"", "end"}};
    for (const char *lineEnd : {"\n", "\r\n", "\r"}) {
        const QByteArray ended = QByteArray(stream).replace("\n", lineEnd);
        for (qsizetype piece = 1; piece <= ended.size(); ++piece)
            ASSERT_EQ(read(ended, piece), wanted) << piece << ' ' << int(lineEnd[0]);
    }
}

TEST(EventReaderTest, AnEndlessLineIsNotKept)
{
    EventReader reader(1000);
    QList<ServerEvent> events;
    for (int i = 0; i < 11; ++i)
        reader.push(QByteArray(100, 'a'), events);
    EXPECT_TRUE(reader.tooLong());
    EXPECT_EQ(reader.heldBytes(), 0);
    reader.push(QByteArray(5000, 'b'), events);
    EXPECT_EQ(reader.heldBytes(), 0) << "what comes later is not kept either";
    reader.push("\n\ndata: x\n\n", events);
    reader.finish(events);
    EXPECT_TRUE(events.isEmpty());
}

TEST(EventReaderTest, AnEndlessEventIsNotKept)
{
    EventReader reader(1000);
    QList<ServerEvent> events;
    for (int i = 0; i < 300; ++i)
        reader.push("data: abc\n", events);
    EXPECT_TRUE(reader.tooLong());
    EXPECT_EQ(reader.heldBytes(), 0);
    reader.push("\n", events);
    EXPECT_TRUE(events.isEmpty());
}

} // namespace
} // namespace fireside
