// Reading one folder and nothing else, and the calendar.
#include "app/tools/builtin/builtin_tools.h"
#include "app/tools/builtin/calendar.h"
#include "app/tools/builtin/folder_tools.h"
#include "tests/support/temp_dir.h"

#include <QDir>
#include <QFile>
#include <QTimeZone>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fireside::test {
namespace {

class FolderToolsTest : public testing::Test
{
protected:
    void SetUp() override
    {
        QDir().mkpath(at("chosen/notes/deep"));
        QDir().mkpath(at("chosen-too"));
        write("outside.txt", "a secret");
        write("chosen-too/file.txt", "another secret");
        write("chosen/a.txt", "first line\nThe Word is here\nlast");
        write("chosen/notes/b.md", "nothing\nword again");
        write("chosen/notes/deep/c.bin", QByteArray("word\0", 5) + "x");
    }
    QString at(const char *name) const
    {
        return QString::fromStdString((m_folder.path() / name).string());
    }
    void write(const char *name, const QByteArray &content) const
    {
        QFile file(at(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    void link(const QString &target, const char *name) const
    {
        ASSERT_TRUE(QFile::link(target, at(name)));
    }
    FolderTools tools() const { return FolderTools(at("chosen")); }
    QString read(const char *path) const { return tools().read(QString::fromUtf8(path)).text; }

    TempDir m_folder;
};

TEST_F(FolderToolsTest, ReadsListsAndSearches)
{
    EXPECT_EQ(read("a.txt"), QStringLiteral("first line\nThe Word is here\nlast"));
    EXPECT_EQ(read("./notes/../a.txt"), read("a.txt"));
    EXPECT_EQ(read("/a.txt"), read("a.txt")); // as if the folder were everything
    EXPECT_EQ(tools().read(at("chosen/a.txt")).text, read("a.txt"));
    EXPECT_EQ(tools().list(QString()).text, QStringLiteral("notes/\na.txt (32 bytes)"));
    EXPECT_EQ(tools().list(QStringLiteral("notes")).text, QStringLiteral("deep/\nb.md (18 bytes)"));
    EXPECT_EQ(tools().search(QStringLiteral("WORD"), QString(), QString()).text,
              QStringLiteral("a.txt:2: The Word is here\nnotes/b.md:2: word again"));
    EXPECT_EQ(tools().search(QStringLiteral("word"), QString(), QStringLiteral("*.md")).text,
              QStringLiteral("notes/b.md:2: word again"));
    EXPECT_EQ(tools().search(QStringLiteral("word"), QStringLiteral("a.txt"), QString()).text,
              QStringLiteral("a.txt:2: The Word is here"));
    EXPECT_TRUE(read("notes/deep/c.bin").contains(QLatin1String("no text")));
}

TEST_F(FolderToolsTest, NothingOutsideIsReached)
{
    link(at("outside.txt"), "chosen/to-file");
    link(m_folder.path().c_str(), "chosen/to-folder");
    link(QStringLiteral("/"), "chosen/to-root");
    link(QStringLiteral("../outside.txt"), "chosen/relative");
    link(at("chosen/to-file"), "chosen/twice");
    for (const char *path :
         {"../outside.txt", "notes/../../outside.txt", "to-file", "to-folder/outside.txt",
          "to-root/etc/passwd", "relative", "twice", "/etc/passwd", "../chosen-too/file.txt",
          "to-folder/chosen-too/file.txt", "", ".", "..", "no-such", "a.txt/", "\n", "~/x"}) {
        const ToolResult result = tools().read(QString::fromUtf8(path));
        EXPECT_EQ(result.kind, ToolResult::ToolError) << path << ": " << qPrintable(result.text);
        EXPECT_FALSE(result.text.contains(QLatin1String("secret"))) << path;
        EXPECT_FALSE(result.text.contains(QLatin1String("root:"))) << path;
    }
    for (const char *path : {"..", "to-folder", "to-root", "/..", "../chosen-too"})
        EXPECT_EQ(tools().list(QString::fromUtf8(path)).kind, ToolResult::ToolError) << path;
    EXPECT_FALSE(tools()
                     .search(QStringLiteral("secret"), QString(), QString())
                     .text.contains(QLatin1String("another")));
    EXPECT_TRUE(tools().list(QString()).text.contains(QLatin1String("leads out")));
    // Links that stay inside are as good as what they lead to.
    link(at("chosen/a.txt"), "chosen/inside");
    EXPECT_EQ(read("inside"), read("a.txt"));
    EXPECT_EQ(FolderTools(QString()).read(QStringLiteral("a.txt")).kind, ToolResult::ToolError);
}

TEST_F(FolderToolsTest, ALinkThatChangesMeanwhileLeadsNowhere)
{
    link(at("chosen/a.txt"), "chosen/swapped");
    std::jthread swapping([this](const std::stop_token &stop) {
        while (!stop.stop_requested())
            for (const char *target : {"chosen/a.txt", "outside.txt"}) {
                QFile::remove(at("chosen/other"));
                QFile::link(at(target), at("chosen/other"));
                rename(qPrintable(at("chosen/other")), qPrintable(at("chosen/swapped")));
            }
    });
    for (int i = 0; i < 3000; ++i)
        ASSERT_FALSE(read("swapped").contains(QLatin1String("secret")));
}

TEST_F(FolderToolsTest, PipesAndDevicesAreNotRead)
{
    ASSERT_EQ(mkfifo(qPrintable(at("chosen/pipe")), 0600), 0);
    EXPECT_TRUE(read("pipe").contains(QLatin1String("ordinary"))); // without waiting for a writer
    EXPECT_EQ(tools().search(QStringLiteral("word again"), QString(), QString()).text,
              QStringLiteral("notes/b.md:2: word again"));
}

TEST_F(FolderToolsTest, LargeFilesComeInPiecesOfWholeCharacters)
{
    write("chosen/large.txt", QByteArray("x") + QByteArray("ä").repeated(60'000));
    const QString first = read("large.txt");
    EXPECT_TRUE(first.contains(QLatin1String("offset 65536"))) << qPrintable(first.right(80));
    EXPECT_FALSE(first.contains(QChar::ReplacementCharacter));
    const QString rest = tools().read(QStringLiteral("large.txt"), 65'536).text;
    EXPECT_FALSE(rest.contains(QChar::ReplacementCharacter));
    EXPECT_EQ(first.count(QChar(0xE4)) + rest.count(QChar(0xE4)), 60'000 - 1); // cut in the middle
    EXPECT_EQ(tools().read(QStringLiteral("large.txt"), 1 << 30).kind, ToolResult::ToolError);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(tools().search(QStringLiteral("x"), QString(), QString(), stop.get_token()).kind,
              ToolResult::Stopped);
}

TEST(BuiltinTools, TakeTheirArgumentsAsModelsWriteThem)
{
    const auto run = [](const char *name, const char *arguments) {
        return runBuiltin(QLatin1String(name), arguments, QString(), {});
    };
    EXPECT_EQ(run("calculate", R"({"expression": "6*7"})").text, QStringLiteral("42"));
    EXPECT_EQ(run("calculate", R"({"expression": 6})").text, QStringLiteral("6"));
    EXPECT_EQ(run("calculate", "{}").kind, ToolResult::ToolError);
    EXPECT_EQ(run("calculate", "no json").kind, ToolResult::ToolError);
    EXPECT_EQ(run("date_time", R"({"add_days": "3"})").kind, ToolResult::Done);
    EXPECT_EQ(run("read_text_file", R"({"path": "x"})").kind, ToolResult::ToolError);
    EXPECT_EQ(run("unknown", "{}").kind, ToolResult::Failed);
    EXPECT_EQ(builtinTools(QString()).size(), 2);
    EXPECT_EQ(builtinTools(QStringLiteral("/tmp")).size(), 5);
}

TEST(Calendar, KnowsMomentsWeeksAndZones)
{
    const QDateTime now(QDate(2026, 11, 24), QTime(15, 30), QTimeZone::utc());
    const auto ask = [&](CalendarQuestion question) { return calendarAnswer(question, now); };
    const QString utc = ask({.zone = QStringLiteral("UTC")}).text;
    EXPECT_TRUE(utc.contains(QLatin1String("2026-11-24 15:30:00"))) << qPrintable(utc);
    EXPECT_TRUE(utc.contains(QLatin1String("Tuesday")) && utc.contains(QLatin1String("2026-W48")));
    const QString oslo = ask({.zone = QStringLiteral("Europe/Oslo")}).text;
    EXPECT_TRUE(oslo.contains(QLatin1String("16:30:00"))) << qPrintable(oslo);
    EXPECT_TRUE(oslo.contains(QLatin1String("+01"))) << qPrintable(oslo);
    // A leap day, and the last day of a month.
    const CalendarQuestion leap{
        .at = QStringLiteral("2028-02-28"), .zone = QStringLiteral("UTC"), .days = 1};
    EXPECT_TRUE(ask(leap).text.contains(QLatin1String("2028-02-29")));
    const CalendarQuestion month{
        .at = QStringLiteral("2026-01-31T10:00"), .zone = QStringLiteral("UTC"), .months = 1};
    EXPECT_TRUE(ask(month).text.contains(QLatin1String("2026-02-28 10:00")));
    const CalendarQuestion back{.zone = QStringLiteral("UTC"), .days = -24, .hours = -16};
    EXPECT_TRUE(ask(back).text.contains(QLatin1String("2026-10-30 23:30")));
    EXPECT_TRUE(ask(back).text.contains(QLatin1String("-25 (in the past)")));
    for (const CalendarQuestion &wrong : {CalendarQuestion{.at = QStringLiteral("yesterday")},
                                          CalendarQuestion{.zone = QStringLiteral("Middle/Earth")},
                                          CalendarQuestion{.years = 9000}})
        EXPECT_FALSE(ask(wrong).problem.isEmpty());
}

} // namespace
} // namespace fireside::test
