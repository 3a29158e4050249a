#include "app/chat/decoded_text.h"
#include "app/chat/long_lines.h"
#include "app/chat/text_attachment.h"

#include "support.h"

#include <QStringEncoder>

// Texts of files, and lines that are too long for a field.
namespace fireside::test {
namespace {

const QString kWords = QStringLiteral("Grüße, 世界 🔥\nzweite Zeile\n");

TEST(DecodedTextTest, EachUnicodeEncodingWithAndWithoutAMark)
{
    for (const auto encoding :
         {QStringConverter::Utf8, QStringConverter::Utf16LE, QStringConverter::Utf16BE,
          QStringConverter::Utf32LE, QStringConverter::Utf32BE}) {
        for (const bool mark : {false, true}) {
            QStringEncoder encoder(encoding, mark ? QStringConverter::Flag::WriteBom
                                                  : QStringConverter::Flag::Default);
            const QByteArray bytes = encoder(kWords);
            const auto decoded = decodedText(bytes);
            ASSERT_TRUE(decoded) << encoding << mark;
            EXPECT_EQ(decoded->text, kWords) << encoding << mark;
            EXPECT_EQ(decoded->encoding.isEmpty(), encoding == QStringConverter::Utf8);
        }
    }
}

TEST(DecodedTextTest, WesternTextsAreReadAndNamed)
{
    const auto decoded = decodedText("Gr\xFC\xDF"
                                     "e \x96 10 \x80, caf\xE9\r\n");
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->text, QStringLiteral("Grüße – 10 €, café\r\n"));
    EXPECT_EQ(decoded->encoding, QStringLiteral("Windows-1252"));
}

TEST(DecodedTextTest, BinaryAndForeignBytesAreNoText)
{
    EXPECT_FALSE(decodedText(QByteArray("\x7f"
                                        "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0",
                                        24)));
    EXPECT_FALSE(decodedText(QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)));
    EXPECT_FALSE(decodedText(QByteArray("GIF89a\x01\x02\xFF\xFE\x03\x04")));
    EXPECT_FALSE(decodedText(QByteArray(100, '\0')));
    EXPECT_FALSE(decodedText("\x93\xFA\x96{\x8C\xEA\x82\xC5\x82\xB7\x81"
                             "B"))
        << "Shift JIS";
    EXPECT_FALSE(decodedText("\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0")) << "Windows-1251";
    EXPECT_FALSE(decodedText(QByteArray("\xFF\xFE\x00\xD8", 4))) << "half a pair";
    EXPECT_TRUE(decodedText({}));
}

TEST(TextFileTest, SizeAndEncodingAreThoseOfTheFile)
{
    const QString path = newFolder() + QStringLiteral("/notes.txt");
    writeFile(path, "seventeen letters"); // 17 bytes
    const TextAttachment file = readTextAttachment(path);
    EXPECT_EQ(file.problem, QString());
    EXPECT_EQ(file.size(), 17);
    const ComposedText again = ComposedText::of(ComposedText{QStringLiteral("Hi"), {file}}.whole());
    ASSERT_EQ(again.files.size(), 1);
    EXPECT_EQ(again.files[0].size(), 18) << "with the line end that it has in the message";
    writeFile(path, QByteArray("\xFF\xFEH\0i\0", 6));
    const TextAttachment wide = readTextAttachment(path);
    EXPECT_EQ(wide.text, QStringLiteral("notes.txt:\n```txt\nHi\n```\n"));
    EXPECT_EQ(wide.size(), 6);
    EXPECT_EQ(wide.encoding, QStringLiteral("UTF-16"));
}

TEST(LongLinesTest, ALineIsLongByWhatItTakesToLayItOut)
{
    const QString emoji = QStringLiteral("🔥");
    EXPECT_FALSE(isLongLine(QString(40'000, u'x')));
    EXPECT_TRUE(isLongLine(QString(40'001, u'x')));
    EXPECT_FALSE(isLongLine(emoji.repeated(1000)));
    EXPECT_TRUE(isLongLine(emoji.repeated(1001)));
    EXPECT_FALSE(hasLongLine(QStringLiteral("words of a line\n").repeated(100'000)));
    EXPECT_TRUE(hasLongLine(QStringLiteral("a\n") + QString(10'000'000, u'x')));
}

TEST(LongLinesTest, LongLinesBecomeFilesAndNothingIsLost)
{
    const QString longLine(50'000, u'x');
    const ComposedText alone = withLongLinesAsFiles(longLine, {});
    EXPECT_EQ(alone.words, QString());
    ASSERT_EQ(alone.files.size(), 1);
    EXPECT_TRUE(alone.files[0].text.contains(longLine));

    const ComposedText among = withLongLinesAsFiles(
        QStringLiteral("before\n%1\nafter").arg(longLine), {alone.files[0].name});
    ASSERT_EQ(among.files.size(), 1);
    EXPECT_NE(among.files[0].name, alone.files[0].name) << "that name is in use";
    EXPECT_EQ(among.words, QStringLiteral("before\n[%1]\nafter").arg(among.files[0].name));
    EXPECT_EQ(among.files[0].size(), 50'000);

    const ComposedText many =
        withLongLinesAsFiles(QStringLiteral("first\n") + (longLine + u'\n').repeated(9), {});
    EXPECT_EQ(many.files.size(), 1) << "one file, not nine";
    EXPECT_EQ(many.words, QString());
    // As a draft it is stored and taken apart again.
    const ComposedText again = ComposedText::of(among.whole());
    EXPECT_EQ(again.words, among.words);
    ASSERT_EQ(again.files.size(), 1);
    EXPECT_EQ(again.files[0].text, among.files[0].text);
}

TEST(LongLinesTest, BrokenLinesHaveAllOfTheText)
{
    const QString text =
        QStringLiteral("word ").repeated(20'000) + QStringLiteral("🔥").repeated(2500);
    const QString broken = withLongLinesBroken(text);
    EXPECT_FALSE(hasLongLine(broken));
    EXPECT_EQ(QString(broken).remove(u'\n'), text);
    EXPECT_FALSE(broken.contains(QStringLiteral("wo\nrd")));
}

} // namespace
} // namespace fireside::test
