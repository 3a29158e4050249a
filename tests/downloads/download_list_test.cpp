// The list of downloads, and of connections, over restarts of the program.
#include "app/downloads/download_list.h"
#include "app/hub/model_address.h"
#include "app/network/connection_lines.h"
#include "download_fixture.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace fireside::test {
namespace {

using State = DownloadStatus::State;

class DownloadListTest : public DownloadFixture
{
protected:
    QString listFile() const { return m_home.path() + QStringLiteral("/downloads.json"); }
    std::unique_ptr<DownloadList> open()
    {
        return std::make_unique<DownloadList>(
            m_connections, listFile(), [] { return QByteArray("secret"); }, m_policy);
    }
    DownloadRequest request(const QString &name, bool knownDigest = true)
    {
        return {name, m_folder, {file(m_server, knownDigest, name)}};
    }
    ServerAnswer answer(const ServerRequest &asked)
    {
        ServerAnswer result = fileAnswer(asked, m_content);
        if (m_slow) {
            result.dripBytes = 100;
            result.dripMs = 1;
        }
        return result;
    }
    static bool ended(const DownloadList &list, qsizetype index)
    {
        return waitFor([&] {
            const State state = list.items()[index].status.state;
            return state == State::Done || state == State::Failed;
        });
    }

    bool m_slow = false;
    LyingServer m_server{[this](const ServerRequest &asked) { return answer(asked); }};
};

TEST_F(DownloadListTest, FewRunAtOnceAndAllAreDone)
{
    m_slow = true;
    const auto list = open();
    for (const char *name : {"a.bin", "b.bin", "c.bin"})
        EXPECT_EQ(list->add(request(QLatin1String(name)), false), QString());
    EXPECT_EQ(list->items()[2].status.state, State::Queued);
    EXPECT_FALSE(list->add(request(QStringLiteral("b.bin")), false).isEmpty()) << "twice";
    m_slow = false;
    for (qsizetype i = 0; i < 3; ++i) {
        EXPECT_TRUE(ended(*list, i));
        EXPECT_EQ(list->items()[i].status.state, State::Done);
    }
    EXPECT_EQ(stored(QStringLiteral("c.bin")), m_content);
    EXPECT_TRUE(
        list->add(request(QStringLiteral("c.bin")), false).contains(QLatin1String("there")));
    list->remove(list->items().last().id);
    EXPECT_EQ(stored(QStringLiteral("c.bin")), m_content) << "what is done stays";
    for (const ServerRequest &asked : m_server.requests())
        EXPECT_EQ(asked.header("authorization"), "") << "not asked to be sent";
}

TEST_F(DownloadListTest, WhatWasPausedStaysSo)
{
    m_slow = true;
    auto list = open();
    EXPECT_EQ(list->add(request(QStringLiteral("a.bin")), true), QString());
    EXPECT_EQ(list->add(request(QStringLiteral("b.bin")), true), QString());
    EXPECT_TRUE(waitFor([&] { return list->items()[0].status.bytesDone > 100'000; }));
    list->pause(list->items()[0].id);
    list = open();
    list->resumeStored();
    EXPECT_EQ(list->items()[0].status.state, State::Paused);
    m_slow = false;
    EXPECT_TRUE(ended(*list, 1));
    EXPECT_EQ(list->items()[0].status.state, State::Paused);
    list->resume(list->items()[0].id);
    EXPECT_TRUE(ended(*list, 0));
    EXPECT_EQ(stored(QStringLiteral("a.bin")), m_content);
    EXPECT_EQ(m_server.requests().last().header("authorization"), "Bearer secret");
}

TEST_F(DownloadListTest, CancellingLeavesWhatWasThereBefore)
{
    QFile before(m_folder + QStringLiteral("/before.bin"));
    ASSERT_TRUE(before.open(QIODevice::WriteOnly));
    before.write(m_content);
    before.close();
    DownloadRequest both = request(QStringLiteral("before.bin"));
    both.files.append(file(m_server, true, QStringLiteral("first.bin")));
    both.files.append(file(m_server, true, QStringLiteral("second.bin")));
    both.files.last().digest.hex = QByteArray(64, '0');
    const auto list = open();
    EXPECT_EQ(list->add(both, false), QString());
    EXPECT_TRUE(ended(*list, 0));
    EXPECT_EQ(list->items()[0].status.state, State::Failed);
    EXPECT_TRUE(QFileInfo::exists(m_folder + QStringLiteral("/first.bin")));
    list->remove(list->items()[0].id);
    EXPECT_TRUE(
        waitFor([&] { return !QFileInfo::exists(m_folder + QStringLiteral("/first.bin")); }));
    EXPECT_EQ(stored(QStringLiteral("before.bin")), m_content);
    EXPECT_TRUE(open()->items().isEmpty());
}

TEST_F(DownloadListTest, ADamagedListIsSetAside)
{
    for (const char *wrong : {"{", "[]", R"({"version":99,"downloads":[]})"}) {
        QFile list(listFile());
        ASSERT_TRUE(list.open(QIODevice::WriteOnly | QIODevice::Truncate));
        list.write(wrong);
        list.close();
        EXPECT_TRUE(open()->items().isEmpty()) << wrong;
        EXPECT_FALSE(QFileInfo::exists(listFile())) << wrong;
    }
    QFile list(listFile());
    ASSERT_TRUE(list.open(QIODevice::WriteOnly));
    list.write(R"({"version":1,"downloads":[5,{"folder":"relative","files":[{"name":"a"}]},
        {"folder":"/x","files":[{"name":"../../etc/passwd","url":"http://x/y"}]},
        {"folder":"/x","files":[]},
        {"folder":"/x","state":"paused","bytesDone":-1e300,"files":[{"name":"a","url":"http://x/y"}]}]})");
    list.close();
    const auto read = open();
    ASSERT_EQ(read->items().size(), 1);
    EXPECT_EQ(read->items()[0].status.bytesDone, 0);
}

TEST_F(DownloadListTest, WhatTheDiskCannotHoldIsRefused)
{
    DownloadRequest huge = request(QStringLiteral("a.bin"));
    huge.files.first().size = qint64(1) << 60;
    const auto list = open();
    EXPECT_TRUE(list->add(huge, false).contains(QLatin1String("too full")));
    EXPECT_TRUE(list->items().isEmpty());
    EXPECT_TRUE(m_server.requests().isEmpty());
}

TEST(ConnectionsTest, OutliveTheProgramUntilTheyAreCleared)
{
    const QTemporaryDir home;
    const QString path = home.filePath(QStringLiteral("deep/connections.jsonl"));
    const QUrl url(QStringLiteral("https://example.org:8443/secret?key=1"));
    {
        Connections first(path);
        const qint64 id = first.begin(url, QStringLiteral("search"));
        first.end(id, 120, QStringLiteral("200"));
        first.begin(url, QStringLiteral("killed in the middle"));
        first.setOffline(true);
        EXPECT_FALSE(first.ask(url, QStringLiteral("link")));
    }
    EXPECT_EQ(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
    Connections second(path);
    second.begin(url, QStringLiteral("now"));
    const QList<ConnectionRecord> records = second.records();
    ASSERT_EQ(records.size(), 4);
    EXPECT_EQ(records[0].host, QStringLiteral("example.org:8443")) << "and nothing of its path";
    EXPECT_EQ(records[0].bytesReceived, 120);
    EXPECT_EQ(records[1].result, QStringLiteral("the program ended"));
    EXPECT_FALSE(records[2].allowed);
    EXPECT_EQ(records[3].result, QString()) << "it runs";
    EXPECT_EQ(second.clear(), QString());
    EXPECT_EQ(second.records().size(), 1);
    EXPECT_EQ(Connections(path).records().size(), 1);
}

TEST(ConnectionsTest, LinesAndTablesOfHostileWords)
{
    ConnectionRecord record;
    record.time = QDateTime::fromMSecsSinceEpoch(1'700'000'000'123).toUTC();
    record.host = QStringLiteral("=cmd()");
    record.purpose = QStringLiteral("a \"b\",\nc");
    record.result = QStringLiteral("x");
    const QByteArray line = toLine(record);
    EXPECT_EQ(line.count('\n'), 1);
    EXPECT_EQ(fromLines("{\n[]\n" + line + "nonsense\n" + line).size(), 1);
    EXPECT_EQ(fromLines(line).first(), record);
    EXPECT_EQ(toCsv({record}), "time,host,purpose,bytes received,allowed,result\r\n"
                               "\"2023-11-14T22:13:20.123Z\",\"'=cmd()\",\"a \"\"b\"\",\nc\",0,yes,"
                               "\"x\"\r\n");
}

TEST(ModelAddressTest, WhatIsPastedIsUnderstood)
{
    using Kind = ModelAddress::Kind;
    const QUrl hub(QStringLiteral("https://mirror.example/hub"));
    const auto read = [&](const char *text) { return readModelAddress(QLatin1String(text), hub); };
    EXPECT_EQ(read("  llama  3 ").kind, Kind::Words);
    EXPECT_EQ(read("llama  3").text, QStringLiteral("llama 3"));
    EXPECT_EQ(read("a/b/c").kind, Kind::Words);
    for (const char *text :
         {"org/name", "hf.co/org/name", "https://huggingface.co/org/name",
          "https://huggingface.co/org/name/tree/main", "https://mirror.example/hub/org/name"}) {
        EXPECT_EQ(read(text).kind, Kind::Repository) << text;
        EXPECT_EQ(read(text).repository, QStringLiteral("org/name")) << text;
        EXPECT_TRUE(read(text).wish.isEmpty()) << text;
    }
    EXPECT_EQ(read("hf.co/org/name:Q4_K_M").wish, QStringLiteral("Q4_K_M"));
    EXPECT_EQ(read("https://huggingface.co/org/name/blob/main/x/m-Q8_0.gguf?download=true").wish,
              QStringLiteral("x/m-Q8_0.gguf"));
    const ModelAddress split = read("https://example.org/d/m-00002-of-00003.gguf?key=a");
    ASSERT_EQ(split.kind, Kind::File);
    ASSERT_EQ(split.request.files.size(), 3);
    EXPECT_EQ(split.request.files[0].url,
              QUrl(QStringLiteral("https://example.org/d/m-00001-of-00003.gguf?key=a")));
    EXPECT_EQ(split.request.files[2].name, QStringLiteral("m-00003-of-00003.gguf"));
    for (const char *text : {"ftp://x/a.gguf", "file:///etc/a.gguf", "https://", "https://x/",
                             "https://x/a.bin", "https://me:pw@x/a.gguf"})
        EXPECT_EQ(read(text).kind, Kind::Wrong) << text;
    EXPECT_EQ(modelPathOf({{}, QStringLiteral("/m"), split.request.files}),
              QStringLiteral("/m/m-00001-of-00003.gguf"));
}

} // namespace
} // namespace fireside::test
