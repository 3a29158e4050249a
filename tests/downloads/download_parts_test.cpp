// What downloads are made of, each by itself.
#include "app/downloads/byte_ranges.h"
#include "app/downloads/part_file.h"
#include "app/downloads/rate_meter.h"
#include "app/downloads/safe_name.h"
#include "download_fixture.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QRandomGenerator>

#include <vector>

namespace fireside::test {
namespace {

TEST(ByteRangesTest, agreeWithASetOfBytes)
{
    QRandomGenerator random(7);
    for (int round = 0; round < 200; ++round) {
        constexpr int kSize = 60;
        ByteRanges ranges;
        std::vector<bool> there(kSize);
        for (int i = 0; i < 8; ++i) {
            const int begin = random.bounded(kSize), end = random.bounded(kSize + 1);
            ranges.add({begin, end});
            for (int at = begin; at < end; ++at)
                there[static_cast<std::size_t>(at)] = true;
        }
        EXPECT_EQ(ranges.bytes(), std::count(there.begin(), there.end(), true));
        std::vector<bool> missing(kSize, false), held(kSize, false);
        for (const ByteRange &gap : ranges.missing(kSize))
            for (qint64 at = gap.begin; at < gap.end; ++at)
                missing[static_cast<std::size_t>(at)] = true;
        qint64 last = -1;
        for (const ByteRange &range : ranges.ranges()) {
            EXPECT_GT(range.begin, last) << "they touch";
            last = range.end;
            for (qint64 at = range.begin; at < range.end; ++at)
                held[static_cast<std::size_t>(at)] = true;
        }
        EXPECT_EQ(held, there);
        there.flip();
        EXPECT_EQ(missing, there);
    }
}

TEST(SafeNameTest, nothingLeavesTheFolderOrHides)
{
    for (const char *good :
         {"a.gguf", "sub/b.gguf", "größe 1.gguf", "a..b", "模型.gguf", "a/b/c/d"})
        EXPECT_TRUE(isSafeName(QString::fromUtf8(good))) << good;
    for (const char *bad : {"", "..", ".", "../a", "a/../b", "/etc/passwd", "a//b", "a/", ".hidden",
                            "sub/.ssh/keys", "a\\b", "c:d", "a\nb", "a\x7f", "a/./b",
                            "\xe2\x80\xae"
                            "fdp.gguf"})
        EXPECT_FALSE(isSafeName(QString::fromUtf8(bad))) << bad;
    EXPECT_FALSE(isSafeName(QString(300, QLatin1Char('a'))));
    EXPECT_FALSE(isSafeName(QStringLiteral("a") + QChar(0)));
    EXPECT_FALSE(
        isSafeName(QString(40, QLatin1Char('a')).replace(QLatin1Char('a'), QLatin1String("a/")) +
                   QStringLiteral("b")));
}

TEST(SafeNameTest, anAddressGivesItsLastPart)
{
    EXPECT_EQ(nameFromUrl(QUrl(QStringLiteral("https://a.b/c/d%20e.gguf?download=true"))),
              QStringLiteral("d e.gguf"));
    for (const char *bad : {"https://a.b", "https://a.b/c/", "https://a.b/..", "https://a.b/%2e%2e",
                            "https://a.b/c/.x", "https://a.b/c%5Cd"})
        EXPECT_EQ(nameFromUrl(QUrl(QString::fromLatin1(bad))), QString()) << bad;
}

TEST(SafeNameTest, filesThatGetInEachOthersWayAreRefused)
{
    const auto problem = [](const QStringList &names) {
        QList<RemoteFile> files;
        for (const QString &name : names)
            files.append({{}, name, -1, {}});
        return nameProblem(files);
    };
    EXPECT_EQ(problem({QStringLiteral("a"), QStringLiteral("b/c"), QStringLiteral("b/d")}),
              QString());
    EXPECT_TRUE(
        problem({QStringLiteral("a"), QStringLiteral("a")}).contains(QLatin1String("two files")));
    EXPECT_TRUE(
        problem({QStringLiteral("a/b"), QStringLiteral("a")}).contains(QLatin1String("a folder")));
    EXPECT_FALSE(problem({}).isEmpty());
}

TEST(ReplyHeadTest, contentRangesAreReadStrictly)
{
    const auto good = parseContentRange("bytes 10-19/100");
    ASSERT_TRUE(good && good->range && good->total);
    EXPECT_EQ(*good->range, (ByteRange{10, 20}));
    EXPECT_EQ(*good->total, 100);
    EXPECT_FALSE(parseContentRange("bytes 0-0/*")->total);
    EXPECT_EQ(parseContentRange("bytes */7")->total, 7);
    for (const char *bad :
         {"", "10-19/100", "bytes 19-10/100", "bytes 10-19/15", "bytes -5-3/10", "bytes 10-/100",
          "items 1-2/3", "bytes 1-2/3 4", "bytes 0-99999999999999999999/100000000000000000000"})
        EXPECT_FALSE(parseContentRange(bad)) << bad;
}

TEST(ReplyHeadTest, retryAfterIsSecondsOrADate)
{
    EXPECT_EQ(parseRetryAfter("17").count(), 17);
    EXPECT_EQ(parseRetryAfter("-3").count(), 0);
    EXPECT_EQ(parseRetryAfter("soon").count(), 0);
    const QDateTime later = QDateTime::currentDateTimeUtc().addSecs(100);
    const auto wait = parseRetryAfter(later.toString(Qt::RFC2822Date).toLatin1()).count();
    EXPECT_GT(wait, 90);
    EXPECT_LE(wait, 100);
    EXPECT_EQ(parseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT").count(), 0);
}

TEST(RateMeterTest, isTheRateOfTheLastSeconds)
{
    RateMeter meter;
    EXPECT_EQ(meter.bytesPerSecond(), 0);
    meter.add(0, 0);
    meter.add(100, 1000);
    EXPECT_EQ(meter.bytesPerSecond(), 0) << "too short to say";
    for (int ms = 100; ms <= 10'000; ms += 10)
        meter.add(ms, ms * 10);
    EXPECT_NEAR(meter.bytesPerSecond(), 10'000, 1);
    for (int ms = 10'000; ms <= 20'000; ms += 10)
        meter.add(ms, 100'000 + (ms - 10'000) * 2);
    EXPECT_NEAR(meter.bytesPerSecond(), 2000, 1) << "what was before is forgotten";
    meter.add(20'500, 5);
    EXPECT_EQ(meter.bytesPerSecond(), 0) << "begun anew";
}

class PartFileTest : public DownloadFixture
{
protected:
    RemoteFile wanted(bool knownDigest = true) const
    {
        RemoteFile file;
        file.url = QUrl(QStringLiteral("https://example.org/a/model.bin"));
        file.name = QStringLiteral("model.bin");
        if (knownDigest)
            file.digest = {ExpectedDigest::Kind::Sha256, sha256(m_content)};
        return file;
    }
    void leave(const RemoteFile &file, const QByteArray &validator)
    {
        PartFile part(m_folder, file);
        ASSERT_EQ(part.open(), QString());
        part.setSize(1000);
        part.setValidator(validator);
        ASSERT_EQ(part.write(100, QByteArray(50, 'x')), QString());
        ASSERT_EQ(part.save(), QString());
    }
    qint64 takenOver(const RemoteFile &file)
    {
        PartFile part(m_folder, file);
        EXPECT_EQ(part.open(), QString());
        return part.done().bytes();
    }
};

TEST_F(PartFileTest, whatIsLeftIsTakenOver)
{
    leave(wanted(), "\"a\"");
    PartFile part(m_folder, wanted());
    ASSERT_EQ(part.open(), QString());
    EXPECT_EQ(part.size(), 1000);
    EXPECT_EQ(part.validator(), "\"a\"");
    EXPECT_EQ(part.done().ranges(), (std::vector<ByteRange>{{100, 150}}));
    EXPECT_NE(PartFile(m_folder, wanted()).open(), QString()) << "two at once";
}

TEST_F(PartFileTest, whatMayBelongToAnotherFileIsNot)
{
    leave(wanted(false), "");
    EXPECT_EQ(takenOver(wanted(false)), 0) << "nothing says that it is the same";
    leave(wanted(false), "\"a\"");
    EXPECT_EQ(takenOver(wanted(false)), 50);
    RemoteFile other = wanted();
    other.digest.hex = sha256("other");
    leave(wanted(), "\"a\"");
    EXPECT_EQ(takenOver(other), 0);
    leave(wanted(), "\"a\"");
    other = wanted();
    other.size = 999;
    EXPECT_EQ(takenOver(other), 0);
}

TEST_F(PartFileTest, damagedStatesCountForNothing)
{
    const QString folder = partsFolder(m_folder);
    const auto state = [&] {
        return folder + QLatin1Char('/') +
               QDir(folder).entryList({QStringLiteral("*.json")}, QDir::Files).value(0);
    };
    leave(wanted(), "\"a\"");
    QFile file(state());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    file.close();
    const auto replaced = [&](const QByteArray &content) {
        QFile out(state());
        EXPECT_TRUE(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
        out.write(content);
    };
    for (qsizetype length = 0; length < whole.size() - 2; length += 11) {
        leave(wanted(), "\"a\"");
        replaced(whole.left(length));
        EXPECT_EQ(takenOver(wanted()), 0) << length;
    }
    for (const char *ranges : {"[[-5,50]]", "[[100,5000]]", "[[900,1001]]", "[[150,100]]",
                               "[[\"a\",1e300]]", "7", "[7]", "[[0]]"}) {
        leave(wanted(), "\"a\"");
        QByteArray changed = whole;
        const qsizetype at = changed.indexOf("\"done\": ") + 8;
        changed.replace(at, changed.indexOf("\n    ],", at) + 6 - at, ranges);
        replaced(changed);
        EXPECT_EQ(takenOver(wanted()), 0) << ranges;
    }
    // Bytes that the state speaks of and the disk lost.
    leave(wanted(), "\"a\"");
    const QString bytes = QString(state()).replace(QLatin1String(".json"), QLatin1String(".part"));
    ASSERT_TRUE(QFile::resize(bytes, 120));
    EXPECT_EQ(takenOver(wanted()), 0);
}

TEST_F(PartFileTest, noOtherFileIsReplaced)
{
    PartFile part(m_folder, wanted());
    ASSERT_EQ(part.open(), QString());
    part.setSize(4);
    ASSERT_EQ(part.write(0, "mine"), QString());
    QFile other(part.target());
    ASSERT_TRUE(other.open(QIODevice::WriteOnly));
    other.write("yours");
    other.close();
    EXPECT_TRUE(part.finish().contains(QLatin1String("another file")));
    EXPECT_EQ(stored(), "yours");
    part.discard();
    EXPECT_FALSE(QDir(partsFolder(m_folder)).exists());
}

} // namespace
} // namespace fireside::test
