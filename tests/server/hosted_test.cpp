// Models behind the server: a device that fails in the middle, several that are loaded by request.
#include "engine/core/error.h"
#include "tests/server/server_fixture.h"
#include "tests/support/fake_engine.h"

#include <future>

namespace fireside {
namespace {

using nlohmann::json;
using test::DeviceScript;
using test::RunningServer;
using State = server::ModelDesk::State;

json asked(const std::string &model, int tokens, const std::string &question = "Hello")
{
    return {{"model", model},
            {"messages", json::array({{{"role", "user"}, {"content", question}}})},
            {"max_tokens", tokens}};
}

std::string answer(const RunningServer &server, const json &body, int status = 200)
{
    httplib::Client client = server.client();
    const auto got = client.Post("/v1/chat/completions", body.dump(), "application/json");
    EXPECT_TRUE(got);
    if (!got)
        return {};
    EXPECT_EQ(got->status, status) << got->body;
    const json all = json::parse(got->body);
    return status == 200 ? all["choices"][0]["message"]["content"].get<std::string>()
                         : all["error"]["message"].get<std::string>();
}

std::string stateOf(const RunningServer &server, const std::string &id)
{
    httplib::Client client = server.client();
    return json::parse(client.Get("/v1/models/" + id)->body)["state"];
}

class MovingTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        // The card is the CPU in disguise: what was moved would be dropped as the file's pages.
        setenv("FIRESIDE_HUGE_PAGES", "off", 1);
        s_folder = new test::TempDir;
        test::starterModelInF32(*s_folder);
    }
    static void TearDownTestSuite() { delete s_folder; }
    server::HostedSettings hosted() const
    {
        // In F32, so that what is computed again, or together with others, rounds alike.
        auto one = RunningServer::hosted("starter", s_folder->path() / "starter-f32.gguf");
        one.load.backend = BackendKind::Auto;
        one.load.kvType = DType::F32;
        one.engine = test::fakeEngine(card);
        return one;
    }
    const std::shared_ptr<DeviceScript> card = std::make_shared<DeviceScript>();
    static test::TempDir *s_folder;
};
test::TempDir *MovingTest::s_folder = nullptr;

TEST_F(MovingTest, AllRepliesGoOnWhenTheDeviceIsLost)
{
    const RunningServer server({hosted()});
    const std::vector<std::string> questions{"What is Fireside?", "How do I add a model?",
                                             "Tell me a story about a fire"};
    std::vector<std::string> whole;
    for (const std::string &question : questions)
        whole.push_back(answer(server, asked("starter", 24, question)));
    const int passes = card->count(DeviceScript::At::Pass);
    for (const int times : {0, 1, 2}) { // opened once more, then given up for the CPU
        for (int i = 0; i < times; ++i)
            card->fail({.at = DeviceScript::At::Op, .in = 300 + 400 * i});
        std::vector<std::future<std::string>> replies;
        for (const std::string &question : questions)
            replies.push_back(std::async(std::launch::async, [&] {
                return answer(server, asked("starter", 24, question));
            }));
        for (std::size_t i = 0; i < questions.size(); ++i)
            EXPECT_EQ(replies[i].get(), whole[i]) << times;
    }
    EXPECT_GT(card->count(DeviceScript::At::Pass), passes);
    EXPECT_GE(card->count(DeviceScript::At::Open), 3);
    httplib::Client client = server.client();
    EXPECT_EQ(client.Get("/health")->status, 200);
    EXPECT_EQ(stateOf(server, "starter"), "loaded");
    EXPECT_NE(client.Get("/metrics")->body.find("requests_failed_total 0"), std::string::npos);
}

TEST_F(MovingTest, WhereTheFaultIsNoDevicesTheReplyFailsAndOthersGoOn)
{
    const auto cpu = std::make_shared<DeviceScript>();
    server::HostedSettings one = hosted();
    one.engine = test::fakeEngine(card, cpu);
    one.load.backend = BackendKind::Cpu; // nothing to go on with
    const RunningServer server({one});
    const std::string whole = answer(server, asked("starter", 8));
    cpu->fail({.at = DeviceScript::At::Op, .in = 30, .kind = ErrorKind::Memory});
    cpu->fail({.at = DeviceScript::At::Op, .in = 60, .kind = ErrorKind::Memory});
    EXPECT_NE(answer(server, asked("starter", 8, "Another question"), 400).find("no memory"),
              std::string::npos);
    EXPECT_EQ(answer(server, asked("starter", 8)), whole);
}

TEST(ShelfTest, ModelsComeAndGoWithinMemory)
{
    const DeviceReport cpu = probeCpu();
    const Engine::Choice alone = Engine::preview(
        test::starterModel(), {.backend = BackendKind::Cpu, .context = 256}, {cpu}, {});
    const std::uint64_t needed =
        bytesOn(0, alone.selection.placement, *alone.summary.plan, alone.devices);
    const auto small = [&](const std::string &id) {
        auto one = RunningServer::hosted(id, test::starterModel());
        one.engine.probe = [cpu, needed] {
            DeviceReport less = cpu;
            less.memoryFree = needed + needed / 4; // room for one of them
            return std::vector{less};
        };
        one.load.backend = BackendKind::Auto;
        return one;
    };
    const RunningServer server({small("a"), small("b")});
    EXPECT_EQ(stateOf(server, "a"), "unloaded");
    const std::string words = answer(server, asked("a", 6));
    EXPECT_EQ(stateOf(server, "a"), "loaded");
    EXPECT_EQ(stateOf(server, "b"), "unloaded");
    EXPECT_EQ(answer(server, asked("b", 6)), words);
    EXPECT_EQ(stateOf(server, "a"), "unloaded");
    EXPECT_EQ(stateOf(server, "b"), "loaded");
    // Both at once, again and again: each waits for its turn, none fails.
    std::vector<std::future<std::string>> replies;
    for (int i = 0; i < 6; ++i)
        replies.push_back(std::async(std::launch::async, [&server, i] {
            return answer(server, asked(i % 2 == 0 ? "a" : "b", 6));
        }));
    for (auto &reply : replies)
        EXPECT_EQ(reply.get(), words);
    EXPECT_NE(answer(server, asked("c", 6), 404).find("what is: "), std::string::npos);
}

TEST(ShelfTest, WhatFitsStaysAndWhatIsIdleGoes)
{
    const RunningServer server({RunningServer::hosted("a", test::starterModel()),
                                RunningServer::hosted("b", test::starterModel())},
                               {}, std::chrono::seconds(2));
    answer(server, asked("a", 2));
    answer(server, asked("b", 2));
    for (int i = 0; i < 600 && stateOf(server, "a") + stateOf(server, "b") != "unloadedunloaded";
         ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(stateOf(server, "a"), "unloaded");
    EXPECT_EQ(stateOf(server, "b"), "unloaded");
    EXPECT_NE(answer(server, asked("a", 2)), "");
}

TEST(ShelfTest, AModelThatCannotBeLoadedSaysWhy)
{
    auto one = RunningServer::hosted("starter", test::starterModel());
    const auto card = std::make_shared<DeviceScript>();
    one.engine = test::fakeEngine(card);
    one.load.backend = BackendKind::Vulkan;
    const RunningServer server({one});
    card->fail({.at = DeviceScript::At::Weight});
    EXPECT_NE(answer(server, asked("starter", 2), 503).find("Test card"), std::string::npos);
    EXPECT_EQ(stateOf(server, "starter"), "failed");
    httplib::Client client = server.client();
    EXPECT_EQ(client.Get("/health")->status, 503);
    EXPECT_NE(answer(server, asked("starter", 2)), ""); // asked again it is tried again
    EXPECT_EQ(client.Get("/health")->status, 200);
    EXPECT_THROW(server::ModelShelf({{RunningServer::hosted("x", test::starterModel()),
                                      RunningServer::hosted("x", test::starterModel())}}),
                 Error);
}

} // namespace
} // namespace fireside
