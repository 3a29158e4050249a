// fireside-cli serve as a process: its options, its port, and how it ends when it is asked to.
#include "tests/cli/cli_process.h"
#include "tests/server/raw_client.h"
#include "tests/support/starter.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <unistd.h>
#include <vector>

namespace fireside {
namespace {

/// A command of fireside-cli that runs beside the test; its standard error is read.
class RunningCommand
{
public:
    explicit RunningCommand(std::vector<std::string> arguments)
    {
        int ends[2], input[2];
        EXPECT_EQ(::pipe(ends), 0);
        EXPECT_EQ(::pipe(input), 0);
        arguments.insert(arguments.begin(), FIRESIDE_CLI);
        m_process = ::fork();
        if (m_process == 0) {
            ::dup2(input[0], STDIN_FILENO);
            ::dup2(ends[1], STDERR_FILENO);
            ::close(input[1]);
            std::vector<char *> all;
            for (std::string &one : arguments)
                all.push_back(one.data());
            all.push_back(nullptr);
            ::execv(FIRESIDE_CLI, all.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        ::close(input[0]);
        m_output = ends[0];
        m_input = input[1];
    }
    ~RunningCommand()
    {
        if (!m_status) {
            ::kill(m_process, SIGKILL);
            (void)end();
        }
        ::close(m_output);
        ::close(m_input);
    }
    RunningCommand(const RunningCommand &) = delete;
    RunningCommand &operator=(const RunningCommand &) = delete;

    /// What it says until `text` has come, or its end.
    std::string readUntil(const std::string &text) const
    {
        std::string all;
        char c = 0;
        while (all.find(text) == std::string::npos && ::read(m_output, &c, 1) == 1)
            all += c;
        return all;
    }
    void signal(int number) const { ::kill(m_process, number); }
    /// Its exit status; 1000 + N where signal N ended it.
    int end()
    {
        int status = 0;
        ::waitpid(m_process, &status, 0);
        m_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        return *m_status;
    }

private:
    pid_t m_process = -1;
    int m_output = -1, m_input = -1;
    std::optional<int> m_status;
};

std::vector<std::string> serving(std::vector<std::string> more = {})
{
    std::vector<std::string> all{
        "serve", test::starterModel().string(), "--backend", "cpu", "--port", "0", "--context",
        "1024"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// The port of a server once it answers.
int portOf(const RunningCommand &server)
{
    const std::string told = server.readUntil("/v1");
    const std::size_t at = told.rfind("127.0.0.1:");
    return at == std::string::npos ? 0 : std::atoi(told.c_str() + at + 10);
}

/// A reply of many words that has begun.
test::RawClient streamFrom(int port)
{
    const std::string body = R"({"model":"m","prompt":"x","stream":true,"regex":"[ab]{900}"})";
    test::RawClient client(port);
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                "application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    client.receiveUntil("data: ");
    return client;
}

TEST(ServeCliTest, SignalsEndStreamsWithTheirError)
{
    for (const int signal : {SIGTERM, SIGINT}) {
        RunningCommand server(serving({"--name", "m"}));
        const int port = portOf(server);
        ASSERT_GT(port, 0);
        const test::RawClient stream = streamFrom(port), idle(port);
        server.signal(signal);
        const std::string rest = stream.receiveAll();
        EXPECT_NE(rest.find("the server is being shut down"), std::string::npos) << rest;
        EXPECT_TRUE(idle.isClosed());
        EXPECT_EQ(server.end(), 0) << "an orderly end";
    }
}

TEST(ServeCliTest, ASecondSignalEndsAtOnce)
{
    RunningCommand server(serving({"--name", "m"}));
    const int port = portOf(server);
    ASSERT_GT(port, 0);
    const test::RawClient stream = streamFrom(port);
    server.signal(SIGSTOP); // so that both have come when it goes on
    server.signal(SIGINT);
    server.signal(SIGTERM);
    server.signal(SIGCONT);
    const int status = server.end(); // of the one that was handled last
    EXPECT_TRUE(status == 128 + SIGTERM || status == 128 + SIGINT) << status;
}

TEST(ServeCliTest, AChatThatWaitsForItsUserEndsWhenItIsAskedTo)
{
    for (const int signal : {SIGTERM, SIGINT}) {
        RunningCommand chat({"chat", test::starterModel().string(), "--backend", "cpu"});
        chat.readUntil("> ");
        chat.signal(signal);
        EXPECT_EQ(chat.end(), 0);
    }
}

TEST(ServeCliTest, ASecondServerOnThePortFailsAndNamesIt)
{
    RunningCommand first(serving({"--name", "m", "--key", "a-key"}));
    const int port = portOf(first);
    ASSERT_GT(port, 0);
    const auto [text, status] = test::runCli("serve '" + test::starterModel().string() +
                                             "' --backend cpu --port " + std::to_string(port));
    EXPECT_EQ(status, 1) << text;
    EXPECT_NE(text.find("port " + std::to_string(port) + " of 127.0.0.1: it is in use"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("Serving"), std::string::npos);
}

TEST(ServeCliTest, OptionsThatWouldHaveNoEffectAreRefused)
{
    const std::string serve = "serve '" + test::starterModel().string() + "' --port 0 ";
    struct Case
    {
        std::string options, expected;
        int status = 1;
    };
    const std::vector<Case> cases{
        {"--key ''", "a key is empty"},
        {"--key '  '", "a key is empty"},
        {"--key 'alice= '", "a key is empty"},
        {"--key \"$(printf 'a\\tb')\"", "control character"},
        {"--key ' key'", "space at an end"},
        {"--key a=one --key a=two", "two keys have the name 'a'"},
        {"--key a=one --key b=one", "are the same"},
        {"--origin '*'", "that needs a key"},
        {"--origin ''", "the origin '' is none"},
        {"--origin localhost:3000", "is none that browsers send"},
        {"--origin http://localhost:3000/", "is none that browsers send"},
        {"--name ''", "the name of a model (--name) is empty"},
        {"--name ' '", "the name of a model (--name) is empty"},
        {"--name \"$(printf 'a\\nb')\"", "control character"},
        {"--host ''", "the address to listen on is empty"},
        {"--host 0.0.0.0 --key fifteen-letters", "a key of at least 16 characters"},
        {"--port 65536", "65536", 2},
        {"--port -1", "-1", 2}};
    for (const Case &one : cases) {
        const auto [text, status] = test::runCli(serve + one.options);
        EXPECT_EQ(status, one.status) << one.options << "\n" << text;
        EXPECT_NE(text.find(one.expected), std::string::npos) << one.options << "\n" << text;
    }
    for (const char *variable : {"FIRESIDE_KEY=", "FIRESIDE_KEY=' '"}) {
        const auto [text, status] = test::runCli(serve, variable);
        EXPECT_EQ(status, 1) << text;
        EXPECT_NE(text.find("is empty"), std::string::npos) << text;
    }
}

TEST(ServeCliTest, KeysMayBeSeveralAndNamed)
{
    RunningCommand server(
        serving({"--key", "alice=first-key", "--key", "second-key", "--origin", "*"}));
    const int port = portOf(server);
    ASSERT_GT(port, 0);
    const auto statusWith = [&](const std::string &headers) {
        const test::RawClient client(port);
        client.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                    headers + "\r\n");
        return client.receiveAll().substr(9, 3);
    };
    EXPECT_EQ(statusWith(""), "401");
    EXPECT_EQ(statusWith("x-api-key: first-key\r\n"), "200");
    EXPECT_EQ(statusWith("Authorization: Bearer second-key\r\n"), "200");
    EXPECT_EQ(statusWith("x-api-key: alice=first-key\r\n"), "401");
    EXPECT_EQ(statusWith("x-api-key: second-key\r\nOrigin: https://any.example\r\n"), "200");
}

} // namespace
} // namespace fireside
