#pragma once
#include "tests/server/running_server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fireside::test {

using nlohmann::json;

/// A server for all tests of a suite, and what asks it.
class ServerTest : public testing::Test
{
protected:
    static void SetUpTestSuite() { s_server = new RunningServer(strictApi()); }
    static void TearDownTestSuite() { delete s_server; }

    static json chat(const std::string &question, json more = json::object())
    {
        more["model"] = "starter";
        more["messages"] = json::array({{{"role", "user"}, {"content", question}}});
        if (!more.contains("max_tokens"))
            more["max_tokens"] = 8;
        return more;
    }
    /// The answer's body; its status is checked.
    static std::string posted(const std::string &path, const json &body, int status = 200)
    {
        httplib::Client client = s_server->client();
        const auto answer = client.Post(path, body.dump(), "application/json");
        EXPECT_TRUE(answer);
        if (!answer)
            return {};
        EXPECT_EQ(answer->status, status) << answer->body;
        return answer->body;
    }
    static json post(const std::string &path, const json &body, int status = 200)
    {
        return json::parse(posted(path, body, status), nullptr, false);
    }
    /// The data of each event.
    static std::vector<std::string> events(const std::string &stream)
    {
        std::vector<std::string> all;
        for (std::size_t at = 0, end; (end = stream.find("\n\n", at)) != std::string::npos;
             at = end + 2)
            if (stream.compare(at, 6, "data: ") == 0)
                all.push_back(stream.substr(at + 6, end - at - 6));
        return all;
    }
    /// The streamed reply, its pieces joined as clients do it.
    static json joined(const std::string &stream)
    {
        json message{{"content", ""}, {"tool_calls", json::array()}};
        for (const std::string &data : events(stream)) {
            const json chunk = json::parse(data, nullptr, false);
            if (chunk.is_discarded() || chunk["choices"].empty())
                continue;
            const json &choice = chunk["choices"][0], &delta = choice["delta"];
            if (!choice["finish_reason"].is_null())
                message["finish_reason"] = choice["finish_reason"];
            message["content"] = message["content"].get<std::string>() + delta.value("content", "");
            for (const json &call : delta.value("tool_calls", json::array())) {
                const std::size_t index = call["index"];
                if (message["tool_calls"].size() == index)
                    message["tool_calls"].push_back(call);
                else
                    message["tool_calls"][index]["function"]["arguments"] =
                        message["tool_calls"][index]["function"]["arguments"].get<std::string>() +
                        call["function"]["arguments"].get<std::string>();
            }
        }
        return message;
    }
    /// The field that is named as the reason.
    static std::string refused(const std::string &path, const json &body, int status = 400)
    {
        const json answer = post(path, body, status);
        EXPECT_TRUE(answer["error"]["message"].is_string()) << answer;
        return answer["error"]["param"].is_string() ? answer["error"]["param"].get<std::string>()
                                                    : std::string();
    }
    static json metricsOf(const std::string &name)
    {
        httplib::Client client = s_server->client();
        const std::string text = client.Get("/metrics")->body;
        const std::size_t at = text.find("\nfireside_" + name + " ");
        return at == std::string::npos
                   ? json()
                   : json::parse(text.substr(text.find(' ', at + 1) + 1,
                                             text.find('\n', at + 1) - text.find(' ', at + 1) - 1));
    }

    inline static RunningServer *s_server = nullptr;
};

} // namespace fireside::test
