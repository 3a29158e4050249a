// Hugging Face's API, answered by a server of this computer that does so rightly or wrongly.
#include "app/hub/hub_access.h"
#include "app/hub/hub_client.h"
#include "download_fixture.h"

#include <QFile>
#include <QFileInfo>
#include <QUrlQuery>

namespace fireside::test {
namespace {

const QByteArray kCommit(40, 'c');

QByteArray lfsFile(const QByteArray &path, qint64 size, const QByteArray &digest)
{
    return R"({"type":"file","oid":")" + QByteArray(40, 'a') + R"(","size":135,"path":")" + path +
           R"(","lfs":{"oid":")" + digest + R"(","size":)" + QByteArray::number(size) +
           R"(,"pointerSize":135}})";
}

HubFile hubFile(const char *path, qint64 bytes = 10)
{
    return {QString::fromUtf8(path), bytes, {}};
}

class HubTest : public DownloadFixture
{
protected:
    LyingServer m_server{[this](const ServerRequest &request) { return answer(request); }};
    HubClient m_client{m_gate, m_server.url(QStringLiteral("/mirror/")), "hf_mine"};
    QMap<QByteArray, QByteArray> m_answers; // by path
    QString m_problem;

    ServerAnswer answer(const ServerRequest &request)
    {
        const auto known = m_answers.constFind(request.path.split('?').first());
        if (known == m_answers.constEnd())
            return statusAnswer(404, {{"X-Error-Code", "RepoNotFound"}});
        ServerAnswer result;
        result.body = *known;
        return result;
    }
    template <typename Signal, typename Ask>
    auto ask(Signal signal, Ask ask)
    {
        bool over = false;
        m_problem.clear();
        std::decay_t<decltype(argumentOf(signal))> result;
        QObject context;
        QObject::connect(&m_client, signal, &context,
                         [&](const auto &r) { result = r, over = true; });
        QObject::connect(&m_client, &HubClient::failed, &context,
                         [&](const QString &why) { m_problem = why, over = true; });
        ask();
        EXPECT_TRUE(waitFor([&] { return over; }));
        return result;
    }
    template <typename T>
    static T argumentOf(void (HubClient::*)(const T &));

    QList<HubRepository> search(const QString &words)
    {
        return ask(&HubClient::found, [&] { m_client.search(words); });
    }
    HubListing list(const QString &repository)
    {
        return ask(&HubClient::listed, [&] { m_client.list(repository); });
    }
    void offer(const QByteArray &files)
    {
        m_answers["/mirror/api/models/org/name"] =
            R"({"id":"org/name","gated":"manual","sha":")" + kCommit + "\"}";
        m_answers["/mirror/api/models/org/name/tree/" + kCommit] = files;
    }
};

TEST_F(HubTest, searchesAndShowsWhatItMayUse)
{
    m_answers["/mirror/api/models"] =
        R"([{"id":"org/name","downloads":12,"likes":3,"gated":"auto","lastModified":"2026-01-02T03:04:05.000Z"},
            {"id":"../../etc","downloads":1},{"id":7},{"id":"a/b","downloads":-1e300,"gated":false}, 5])";
    const auto found = search(QStringLiteral("qwen & co=1"));
    ASSERT_EQ(found.size(), 2) << qPrintable(m_problem);
    EXPECT_EQ(found[0].id, QStringLiteral("org/name"));
    EXPECT_EQ(found[0].downloads, 12);
    EXPECT_TRUE(found[0].gated);
    EXPECT_EQ(found[0].modified.date(), QDate(2026, 1, 2));
    EXPECT_FALSE(found[1].gated);
    const ServerRequest &asked = m_server.requests().last();
    const QUrlQuery query(QUrl(QString::fromLatin1(asked.path)));
    EXPECT_EQ(query.queryItemValue(QStringLiteral("search"), QUrl::FullyDecoded),
              QStringLiteral("qwen & co=1"));
    EXPECT_EQ(query.queryItemValue(QStringLiteral("filter")), QStringLiteral("gguf"));
    EXPECT_EQ(asked.header("authorization"), "Bearer hf_mine");
}

TEST_F(HubTest, listsACommitAndDownloadsFromIt)
{
    offer("[" + lfsFile("name-Q8_0.gguf", m_content.size(), sha256(m_content)) + "," +
          lfsFile("../evil.gguf", 5, sha256("x")) + "]");
    const HubListing listing = list(QStringLiteral("org/name"));
    ASSERT_EQ(listing.models.size(), 1) << qPrintable(m_problem);
    EXPECT_TRUE(listing.gated);
    EXPECT_EQ(listing.models[0].bytes(), m_content.size()) << "not the pointer's";
    const DownloadRequest request = m_client.requestFor(listing, listing.models[0], m_folder);
    EXPECT_EQ(request.folder, m_folder + QStringLiteral("/org/name"));
    const QByteArray path = "/mirror/org/name/resolve/" + kCommit + "/name-Q8_0.gguf";
    m_server.setHandler([&](const ServerRequest &asked) {
        return asked.path == path ? fileAnswer(asked, m_content) : statusAnswer(404);
    });
    Download download(m_gate, request, m_token, m_policy);
    EXPECT_EQ(load(download), QString());
    EXPECT_EQ(stored(QStringLiteral("org/name/name-Q8_0.gguf")), m_content);
}

TEST_F(HubTest, longListingsComeInPagesOfTheSameServer)
{
    offer({});
    LyingServer elsewhere([](const ServerRequest &) { return statusAnswer(200); });
    const QByteArray tree = "/mirror/api/models/org/name/tree/" + kCommit;
    m_server.setHandler([&](const ServerRequest &request) {
        if (!request.path.startsWith(tree))
            return answer(request);
        const int page = QUrlQuery(QUrl(QString::fromLatin1(request.path)))
                             .queryItemValue(QStringLiteral("cursor"))
                             .toInt();
        ServerAnswer result;
        result.body = "[" + lfsFile("m" + QByteArray::number(page) + ".gguf", 9, sha256("x")) + "]";
        const QByteArray next = page < 2 ? m_server.url(QString::fromLatin1(tree)).toEncoded()
                                         : elsewhere.url(QStringLiteral("/x")).toEncoded();
        result.headers.emplaceBack("Link", "<" + next + "?cursor=" + QByteArray::number(page + 1) +
                                               ">; rel=\"next\"");
        return result;
    });
    EXPECT_EQ(list(QStringLiteral("org/name")).models.size(), 3);
    EXPECT_TRUE(elsewhere.requests().isEmpty());
}

TEST_F(HubTest, wrongAnswersAreSentences)
{
    list(QStringLiteral("org/name"));
    EXPECT_TRUE(m_problem.contains(QLatin1String("no such repository"))) << qPrintable(m_problem);
    list(QStringLiteral("../../etc/passwd"));
    EXPECT_TRUE(m_problem.contains(QLatin1String("no repository's name")));
    for (const char *wrong : {"", "<html>", "[1,2", "{}", R"({"sha":"../../x"})", R"({"sha":5})"}) {
        m_answers["/mirror/api/models/org/name"] = wrong;
        list(QStringLiteral("org/name"));
        EXPECT_TRUE(m_problem.contains(QLatin1String("does not answer"))) << wrong;
    }
    offer(R"([{"type":"file","path":"a.gguf","size":-5},{"type":"file","path":5,"size":5},
              {"type":"directory","path":"b.gguf","size":5},{"type":"file","path":"c.gguf","size":1e300}])");
    EXPECT_TRUE(list(QStringLiteral("org/name")).models.isEmpty());
    EXPECT_EQ(m_problem, QString());
    m_server.setHandler([](const ServerRequest &) {
        ServerAnswer endless;
        endless.body = QByteArray(100'000, '[');
        endless.endless = true;
        return endless;
    });
    search(QStringLiteral("x"));
    EXPECT_TRUE(m_problem.contains(QLatin1String("does not end"))) << qPrintable(m_problem);
    m_connections.setOffline(true);
    search(QStringLiteral("x"));
    EXPECT_TRUE(m_problem.contains(QLatin1String("offline")));
}

TEST(HubFilesTest, whatBelongsTogetherIsOneModel)
{
    const auto models = modelsAmong(
        {hubFile("README.md"), hubFile("m-Q4_K_M.gguf", 40), hubFile("m-mmproj-q8_0.gguf", 3),
         hubFile("m-mmproj-F16.gguf", 5), hubFile("Q8/m-00002-of-00002.gguf", 30),
         hubFile("Q8/m-00001-of-00002.gguf", 50), hubFile("big-00001-of-00003.gguf", 500),
         hubFile("config.json", 1), hubFile("model-1.safetensors", 300),
         hubFile("tokenizer.json", 2), hubFile("consolidated.safetensors", 300),
         hubFile("sub/config.json", 1), hubFile(".hidden/x.gguf")});
    ASSERT_EQ(models.size(), 4);
    EXPECT_EQ(models[0].name, QStringLiteral("m-Q4_K_M.gguf"));
    ASSERT_TRUE(models[0].projector);
    EXPECT_EQ(models[0].projector->path, QStringLiteral("m-mmproj-F16.gguf"));
    EXPECT_EQ(models[1].name, QStringLiteral("Q8/m-00001-of-00002.gguf"));
    EXPECT_EQ(models[1].bytes(), 80);
    EXPECT_FALSE(models[1].projector) << "another folder's";
    EXPECT_TRUE(models[2].folder);
    EXPECT_EQ(models[2].bytes(), 303);
    EXPECT_EQ(models[2].files.last().path, QStringLiteral("config.json"));
    EXPECT_TRUE(models[3].problem.contains(QLatin1String("2 of its 3 parts")));
}

TEST(HubFilesTest, aWishNamesOneModelOrNone)
{
    const auto models = modelsAmong(
        {hubFile("m-Q4_K_M.gguf", 1), hubFile("m-Q4_K_S.gguf", 2), hubFile("x/n-Q8_0.gguf", 3)});
    const auto chosen = [&](const char *wish) {
        return chosenModel(models, QString::fromLatin1(wish));
    };
    EXPECT_EQ(chosen("q4_k_m"), 0);
    EXPECT_EQ(chosen("n-Q8_0.gguf"), 2);
    EXPECT_EQ(chosen("Q4_K"), -1) << "is no type of these";
    EXPECT_EQ(chosen("m"), -2);
    EXPECT_EQ(chosen(""), -2);
    EXPECT_EQ(chosenModel({}, {}), -1);
}

TEST_F(HubTest, accessIsKeptForItsOwnerOnly)
{
    qputenv("XDG_CONFIG_HOME", m_home.path().toUtf8());
    qunsetenv("HF_TOKEN");
    qunsetenv("HF_ENDPOINT");
    EXPECT_EQ(readHubAccess().address, QUrl(QStringLiteral("https://huggingface.co")));
    EXPECT_EQ(storeHubToken(" hf_secret\n"), QString());
    EXPECT_EQ(storeOffline(true), QString());
    EXPECT_EQ(storeHubAddress(QStringLiteral("https://mirror.example/hub")), QString());
    const HubAccess access = readHubAccess();
    EXPECT_EQ(access.token, "hf_secret");
    EXPECT_TRUE(access.offline);
    EXPECT_EQ(access.address.path(), QStringLiteral("/hub"));
    const QFileInfo token(m_home.path() + QStringLiteral("/fireside/hub-token"));
    EXPECT_EQ(token.permissions() &
                  (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
              QFile::Permissions());
    EXPECT_FALSE(storeHubToken("two words").isEmpty());
    EXPECT_FALSE(storeHubAddress(QStringLiteral("ftp://x")).isEmpty());
    EXPECT_FALSE(storeHubAddress(QStringLiteral("https://me:secret@x")).isEmpty());
    EXPECT_EQ(storeHubToken({}), QString());
    EXPECT_EQ(readHubAccess().token, "");
    qputenv("HF_TOKEN", "hf_other");
    EXPECT_EQ(readHubAccess().token, "hf_other");
    qunsetenv("HF_TOKEN");
}

} // namespace
} // namespace fireside::test
