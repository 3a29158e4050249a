#include "wire_fixture.h"

#include <QDir>
#include <QFileInfo>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

QString configFile(const char *name)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/") + QLatin1String(name);
}

QByteArray contentOf(const char *name)
{
    QFile file(configFile(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class RemoteServersTest : public testing::Test
{
protected:
    RemoteServersTest() { servers = fresh(); }
    /// As after the next start of the program.
    std::unique_ptr<RemoteServers> fresh()
    {
        return std::make_unique<RemoteServers>(std::make_unique<FakeKeyring>(keyring));
    }
    static RemoteServer gpu(KeyPlace place)
    {
        RemoteServer server;
        server.name = QStringLiteral("The big one");
        server.address = QUrl(QStringLiteral("http://gpu:8000/v1"));
        server.headers = {{"X-Team", "red"}};
        server.models = {QStringLiteral("extra")};
        server.key = place;
        return server;
    }
    QString store(const RemoteServer &server, const std::optional<QByteArray> &key)
    {
        QString problem = QStringLiteral("no answer");
        bool told = false;
        const auto connection =
            QObject::connect(servers.get(), &RemoteServers::stored, servers.get(),
                             [&](const QString &, const QString &why) {
                                 problem = why;
                                 told = true;
                             });
        id = servers->store(server, key);
        EXPECT_FALSE(told); // never out of the call itself
        EXPECT_TRUE(waitFor([&] { return told; }));
        QObject::disconnect(connection);
        return problem;
    }
    QByteArray key(RemoteServers &of, QString *problem = nullptr)
    {
        QByteArray found;
        bool told = false;
        of.fetchKey(id, [&](const QByteArray &all, const QString &why) {
            found = all;
            told = true;
            if (problem)
                *problem = why;
        });
        EXPECT_TRUE(waitFor([&] { return told; }));
        return found;
    }

    NoServers none;
    std::shared_ptr<FakeKeyring::State> keyring = std::make_shared<FakeKeyring::State>();
    std::unique_ptr<RemoteServers> servers;
    QString id;
};

TEST_F(RemoteServersTest, KeysAreInTheKeyringAndNowhereElse)
{
    ASSERT_EQ(store(gpu(KeyPlace::Keyring), "sesame"), QString());
    EXPECT_FALSE(contentOf("servers.json").contains("sesame"));
    EXPECT_FALSE(QFile::exists(configFile("server-keys.json")));
    const auto later = fresh();
    ASSERT_EQ(later->all().size(), 1);
    RemoteServer wanted = gpu(KeyPlace::Keyring);
    wanted.id = id;
    EXPECT_EQ(later->all()[0], wanted);
    EXPECT_EQ(key(*later), "sesame");
    EXPECT_EQ(key(*later), "sesame");
    EXPECT_EQ(keyring->reads, 1);
    later->remove(id);
    EXPECT_TRUE(keyring->secrets.isEmpty());
    EXPECT_TRUE(fresh()->all().isEmpty());
}

TEST_F(RemoteServersTest, AKeyringThatRefusesChangesNothing)
{
    keyring->problem = QStringLiteral("no keyring");
    EXPECT_EQ(store(gpu(KeyPlace::Keyring), "sesame"), QLatin1String("no keyring"));
    EXPECT_TRUE(servers->all().isEmpty());
    EXPECT_FALSE(QFile::exists(configFile("servers.json")));
    // What the user then agrees to.
    ASSERT_EQ(store(gpu(KeyPlace::File), "sesame"), QString());
    EXPECT_EQ(QFileInfo(configFile("server-keys.json")).permissions() &
                  (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
    EXPECT_EQ(key(*fresh()), "sesame");
    servers->remove(id);
    EXPECT_FALSE(QFile::exists(configFile("server-keys.json")));
}

TEST_F(RemoteServersTest, ASessionsKeyIsGoneAfterwards)
{
    ASSERT_EQ(store(gpu(KeyPlace::Session), "sesame"), QString());
    EXPECT_EQ(key(*servers), "sesame");
    QString problem;
    EXPECT_EQ(key(*fresh(), &problem), "");
    EXPECT_TRUE(problem.contains(QLatin1String("enter it again")));
    EXPECT_FALSE(contentOf("servers.json").contains("sesame"));
}

TEST_F(RemoteServersTest, AKeyMovesFromPlaceToPlace)
{
    ASSERT_EQ(store(gpu(KeyPlace::File), "sesame"), QString());
    RemoteServer server = servers->all()[0];
    server.key = KeyPlace::Keyring;
    ASSERT_EQ(store(server, std::nullopt), QString());
    EXPECT_FALSE(QFile::exists(configFile("server-keys.json")));
    EXPECT_EQ(keyring->secrets.size(), 1);
    EXPECT_EQ(key(*fresh()), "sesame");
    server.key = KeyPlace::None;
    ASSERT_EQ(store(server, std::nullopt), QString());
    EXPECT_TRUE(keyring->secrets.isEmpty());
    EXPECT_EQ(key(*servers), "");
}

TEST_F(RemoteServersTest, ADamagedListIsSetAside)
{
    ASSERT_EQ(store(gpu(KeyPlace::None), std::nullopt), QString());
    QFile file(configFile("servers.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"servers\": [{");
    file.close();
    const auto later = fresh();
    EXPECT_TRUE(later->all().isEmpty());
    EXPECT_TRUE(later->problem().contains(QLatin1String("damaged")));
    EXPECT_TRUE(QFile::exists(configFile("servers.json.damaged")));
    EXPECT_FALSE(QFile::exists(configFile("servers.json")));
}

TEST_F(RemoteServersTest, WhatIsNoServerIsLeftOut)
{
    QFile file(configFile("servers.json"));
    ASSERT_TRUE(QDir().mkpath(QFileInfo(file).path()));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"servers":[{"id":"a","address":"http://a"},{"id":"a","address":"http://b"},{"id":"c/d",
        "address":"http://c"},{"id":"e","address":"file:///x"},7,{"address":"http://f"}],"fallback":true})");
    file.close();
    const auto later = fresh();
    ASSERT_EQ(later->all().size(), 1);
    EXPECT_EQ(later->all()[0].address.toString(), QLatin1String("http://a/v1"));
    EXPECT_TRUE(later->fallsBack());
}

TEST_F(RemoteServersTest, KeysThatAreNoneAreRefused)
{
    EXPECT_NE(store(gpu(KeyPlace::Keyring), "two words"), QString());
    EXPECT_NE(store(gpu(KeyPlace::File), "line\nbreak"), QString());
    EXPECT_TRUE(servers->all().isEmpty());
}

} // namespace
} // namespace fireside::test
