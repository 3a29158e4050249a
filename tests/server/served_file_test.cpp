// A model file that is replaced or removed while it is served.
#include "tests/server/server_fixture.h"
#include "tests/support/split_gguf.h"
#include "tests/support/temp_dir.h"

#include <atomic>
#include <filesystem>
#include <future>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::RunningServer;

class ServedFileTest : public testing::Test
{
protected:
    void put(const fs::path &from)
    {
        const fs::path next = m_folder / "next.gguf";
        fs::copy_file(from, next, fs::copy_options::overwrite_existing);
        fs::permissions(next, fs::perms::owner_write, fs::perm_options::add);
        fs::rename(next, m_path);
    }
    static std::pair<int, std::string> ask(const RunningServer &server, const std::string &model,
                                           int tokens, bool stream = false)
    {
        httplib::Client client = server.client();
        const json body{{"model", model},
                        {"prompt", "Once upon a time"},
                        {"max_tokens", tokens},
                        {"stream", stream}};
        const auto got = client.Post("/v1/completions", body.dump(), "application/json");
        return got ? std::pair(got->status, got->body) : std::pair(0, std::string());
    }
    static std::string text(const std::pair<int, std::string> &answer)
    {
        EXPECT_EQ(answer.first, 200) << answer.second;
        const json all = json::parse(answer.second, nullptr, false);
        return answer.first == 200 ? all["choices"][0]["text"].get<std::string>() : std::string();
    }
    static std::string state(const RunningServer &server, const std::string &id)
    {
        httplib::Client client = server.client();
        return json::parse(client.Get("/v1/models/" + id)->body)["state"];
    }
    static fs::path other() { return FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf"; }

    const test::TempDir m_folder;
    const fs::path m_path = m_folder / "model.gguf";
};

TEST_F(ServedFileTest, TheNextRequestLoadsTheNewFile)
{
    put(test::starterModel());
    const RunningServer server({RunningServer::hosted("m", m_path, 128)});
    const RunningServer fresh({RunningServer::hosted("m", other(), 128)});
    const std::string before = text(ask(server, "m", 6));
    put(other());
    const std::string after = text(ask(server, "m", 6));
    EXPECT_EQ(after, text(ask(fresh, "m", 6)));
    EXPECT_EQ(state(server, "m"), "loaded");
    put(test::starterModel());
    EXPECT_EQ(text(ask(server, "m", 6)), before);
}

TEST_F(ServedFileTest, EveryPartOfASplitModelCounts)
{
    std::vector<test::GgufBuilder> parts = test::splitGguf(test::starterModel(), 2);
    std::vector<fs::path> paths;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        paths.push_back(m_folder / test::splitName("split", i + 1, parts.size()));
        parts[i].write(paths.back());
    }
    std::atomic<int> unloaded = 0;
    server::HostedSettings hosted = RunningServer::hosted("m", paths.front(), 128);
    hosted.tell = [&unloaded](const std::string &text) {
        unloaded += text.find("is unloaded") != std::string::npos;
    };
    const RunningServer server({hosted});
    const std::string before = text(ask(server, "m", 6));
    int replaced = 0;
    for (const fs::path &path : paths) {
        const fs::path next = m_folder / "next";
        fs::copy_file(path, next, fs::copy_options::overwrite_existing);
        fs::rename(next, path);
        EXPECT_EQ(text(ask(server, "m", 6)), before);
        EXPECT_EQ(unloaded, ++replaced) << path;
    }
}

TEST_F(ServedFileTest, WhatRunsEndsWithTheReasonAndIsUnloaded)
{
    put(test::starterModel());
    const RunningServer server({RunningServer::hosted("m", m_path, 4096)});
    const std::string before = text(ask(server, "m", 6));
    for (const bool stream : {true, false}) {
        auto running =
            std::async(std::launch::async, [&] { return ask(server, "m", 4000, stream); });
        const auto isRunning = [&] {
            httplib::Client client = server.client();
            return client.Get("/metrics")->body.find("fireside_requests_running 1") !=
                   std::string::npos;
        };
        for (int i = 0; i < 2000 && !isRunning(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        put(test::starterModel());
        const auto [status, body] = running.get();
        EXPECT_EQ(status, stream ? 200 : 503);
        EXPECT_NE(body.find("changed on disk"), std::string::npos) << body.substr(0, 400);
        for (int i = 0; i < 2000 && state(server, "m") == "loaded"; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(state(server, "m"), "unloaded");
        EXPECT_EQ(text(ask(server, "m", 6)), before);
        EXPECT_EQ(state(server, "m"), "loaded");
    }
}

TEST_F(ServedFileTest, ARemovedFileIsSaidAndItsReturnIsSeen)
{
    put(test::starterModel());
    // The other model's place says nothing of a file that is missing: it stays.
    const RunningServer server({RunningServer::hosted("m", m_path, 128),
                                RunningServer::hosted("other", test::starterModel(), 128)});
    const std::string before = text(ask(server, "m", 6));
    text(ask(server, "other", 2));
    fs::remove(m_path);
    const auto [status, body] = ask(server, "m", 6);
    EXPECT_EQ(status, 503);
    EXPECT_NE(body.find("cannot be loaded"), std::string::npos) << body;
    EXPECT_NE(body.find("model.gguf"), std::string::npos) << body;
    EXPECT_EQ(state(server, "m"), "failed");
    EXPECT_EQ(state(server, "other"), "loaded");
    put(test::starterModel());
    EXPECT_EQ(text(ask(server, "m", 6)), before);
}

} // namespace
} // namespace fireside
