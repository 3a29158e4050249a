// Models with other chat templates: what they refuse of a chat, and how they write calls.
#include "tests/server/server_fixture.h"

namespace fireside {
namespace {

using nlohmann::json;

constexpr const char *kStrict =
    "{% for m in messages %}{% if m.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";
constexpr const char *kParts =
    "{% for m in messages %}{% if m.role == 'user' %}{% if m.content is string %}"
    "{{ raise_exception('User content must be parts') }}{% endif %}<|im_start|>user\n"
    "{{ m.content[0].source_lang_code }} to {{ m.content[0].target_lang_code }}: "
    "{{ m.content[0].text }}<|im_end|>\n{% endif %}{% endfor %}<|im_start|>assistant\n";
constexpr const char *kQwen =
    "{% for t in tools or [] %}{{ t|tojson }}{% endfor %}{% for m in messages %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n"
    "<function={{ c.function.name }}>\n{% for k, v in c.function.arguments|items %}"
    "<parameter={{ k }}>\n{{ v if v is string else v|tojson }}\n</parameter>\n{% endfor %}"
    "</function>\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";
constexpr const char *kLlama =
    "{% for t in tools or [] %}{{ t|tojson }}{% endfor %}{% for m in messages %}"
    "<|im_start|>{{ m.role }}\n{% for c in m.tool_calls or [] %}{{ '{\"name\": \"' ~ "
    "c.function.name ~ '\", \"parameters\": ' ~ (c.function.arguments|tojson) ~ '}' }}"
    "{% else %}{{ m.content }}{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";

class ChatTemplatesTest : public test::ServerTest
{
protected:
    static void SetUpTestSuite()
    {
        s_folder = new test::TempDir;
        std::vector<server::HostedSettings> models;
        for (const auto &[name, source] : {std::pair{"strict", kStrict}, std::pair{"parts", kParts},
                                           std::pair{"qwen", kQwen}, std::pair{"llama", kLlama}})
            models.push_back(test::RunningServer::hosted(
                name, test::starterWithTemplate(*s_folder, name, source), 1024));
        s_server = new test::RunningServer(std::move(models));
    }
    static void TearDownTestSuite()
    {
        delete s_server;
        delete s_folder;
    }

    static json said(const std::string &role, const json &content)
    {
        return {{"role", role}, {"content", content}};
    }
    static json body(const std::string &model, json messages, json more = json::object())
    {
        more["model"] = model;
        more["messages"] = std::move(messages);
        if (!more.contains("max_tokens"))
            more["max_tokens"] = 2;
        return more;
    }
    static int promptTokens(json messages)
    {
        const json reply = post("/v1/chat/completions", body("strict", std::move(messages)));
        return reply["usage"]["prompt_tokens"].get<int>();
    }
    /// The choice whose text was forced, streamed and whole alike.
    static json forced(const std::string &model, const std::string &text, bool strict = false)
    {
        const auto property = [](const char *type) { return json{{"type", type}}; };
        const json tool{
            {"type", "function"},
            {"function",
             {{"name", "write"},
              {"strict", strict},
              {"parameters",
               {{"type", "object"},
                {"properties", {{"content", property("string")}, {"path", property("string")}}},
                {"required", {"content", "path"}},
                {"additionalProperties", false}}}}}};
        std::string quoted;
        for (const char c : text)
            quoted += c == '\n'               ? std::string("\\n")
                      : c == '"' || c == '\\' ? std::string("\\") + c
                                              : std::string(1, c);
        json asked = body(
            model, {said("user", "Write.")},
            {{"tools", {tool}}, {"grammar", "root ::= \"" + quoted + "\""}, {"max_tokens", 400}});
        const json choice = post("/v1/chat/completions", asked)["choices"][0];
        asked["stream"] = true;
        const json streamed = joined(posted("/v1/chat/completions", asked));
        EXPECT_EQ(streamed["finish_reason"], choice["finish_reason"]);
        EXPECT_EQ(streamed["content"],
                  choice["message"]["content"].is_null() ? json("") : choice["message"]["content"]);
        return choice;
    }

    inline static test::TempDir *s_folder = nullptr;
};

TEST_F(ChatTemplatesTest, RolesAreJoinedWhereTheTemplateWantsTurns)
{
    const int joinedUsers = promptTokens({said("user", "Good\n\nmorning")});
    EXPECT_EQ(promptTokens({said("user", "Good"), said("user", "morning")}), joinedUsers);
    EXPECT_EQ(promptTokens({said("system", "Good"), said("user", "morning")}), joinedUsers);
    EXPECT_EQ(promptTokens({said("developer", "Good"), said("user", "morning")}), joinedUsers);
    promptTokens({said("assistant", "Hello!"), said("user", "Hi")});
    promptTokens(
        {said("user", "a"), said("assistant", "b"), said("system", "c"), said("user", "d")});
    promptTokens({said("system", "a")});
    // The other interfaces follow the same rules.
    const json response =
        post("/v1/responses", {{"model", "strict"},
                               {"instructions", "Be brief."},
                               {"max_output_tokens", 2},
                               {"input", {said("user", "a"), said("user", "b")}}});
    EXPECT_EQ(response["object"], "response") << response;
    json messages = body("strict", {said("user", "a"), said("user", "b")});
    messages["system"] = "Be brief.";
    EXPECT_EQ(post("/v1/messages", messages)["type"], "message");
    messages["messages"] = {said("system", "c"), said("user", "a"), said("developer", "d")};
    EXPECT_EQ(post("/v1/messages", messages)["type"], "message");
}

TEST_F(ChatTemplatesTest, PartsGoToATemplateThatReadsThem)
{
    const json part{{"type", "text"},
                    {"source_lang_code", "en"},
                    {"target_lang_code", "de"},
                    {"text", "good morning"}};
    post("/v1/chat/completions", body("parts", {said("user", json::array({part}))}));
    post("/v1/messages", body("parts", {said("user", json::array({part}))}));
    json input = part;
    input["type"] = "input_text";
    post("/v1/responses", {{"model", "parts"},
                           {"max_output_tokens", 2},
                           {"input", {said("user", json::array({input}))}}});
    const json refused =
        post("/v1/chat/completions", body("parts", {said("user", "good morning")}), 400);
    EXPECT_EQ(refused["error"]["message"], "User content must be parts");
    // Others read the text alone.
    post("/v1/chat/completions", body("qwen", {said("user", json::array({part}))}));
}

TEST_F(ChatTemplatesTest, TextOfACallTakesTheTypeOfTheSchema)
{
    for (const bool strict : {false, true})
        for (const std::string content : {"{\n  \"a\": 1\n}", "true", "18",
                                          "say \"</parameter>\" now", "let s = \"</function>\";"}) {
            const json choice =
                forced("qwen",
                       "Ok.\n<tool_call>\n<function=write>\n<parameter=content>\n" + content +
                           "\n</parameter>\n<parameter=path>\n18\n</parameter>\n"
                           "</function>\n</tool_call>\n</tool_call>",
                       strict);
            ASSERT_EQ(choice["finish_reason"], "tool_calls") << choice;
            EXPECT_EQ(choice["message"]["content"], "Ok.");
            EXPECT_EQ(
                json::parse(
                    choice["message"]["tool_calls"][0]["function"]["arguments"].get<std::string>()),
                json({{"content", content}, {"path", "18"}}));
        }
}

TEST_F(ChatTemplatesTest, OnlyOfferedToolsAreCalled)
{
    for (const std::string text :
         {R"({"name":"Bob","age":7})", R"({"name":"x","parameters":{}})"}) {
        const json choice = forced("llama", text);
        EXPECT_EQ(choice["finish_reason"], "stop") << choice;
        EXPECT_EQ(choice["message"]["content"], text);
    }
    const json both =
        forced("llama", R"({"name":"write","parameters":{"content":"a","path":"b"}} I called it.)");
    EXPECT_EQ(both["finish_reason"], "tool_calls") << both;
    EXPECT_EQ(both["message"]["content"], "I called it.");
    const json around =
        forced("llama", "Look.\n{\"name\":\"write\",\"parameters\":{\"content\":\"a\","
                        "\"path\":\"b\"}}\nDone.");
    EXPECT_EQ(around["message"]["content"], "Look.\nDone.");
}

} // namespace
} // namespace fireside
