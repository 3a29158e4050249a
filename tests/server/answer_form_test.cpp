// Answers of a given form, under the names that servers have for them.
#include "tests/server/server_fixture.h"

#include <regex>

namespace fireside {
namespace {

using nlohmann::json;

const json kSchema = json::parse(R"({"type":"object","properties":{
    "description":{"type":"string","maxLength":16},"amount":{"type":"integer","minimum":1,"maximum":99},
    "kind":{"enum":["small","large"]}},"required":["description","amount","kind"],
    "additionalProperties":false})");

class AnswerFormTest : public test::ServerTest
{
protected:
    static json asked(const json &form, bool stream = false)
    {
        json more = form;
        more["max_tokens"] = 120;
        more["temperature"] = 1.2;
        more["seed"] = 5;
        if (stream)
            more["stream"] = true;
        return chat("What is Fireside?", more);
    }
    static std::string answer(const json &form)
    {
        const json reply = post("/v1/chat/completions", asked(form));
        EXPECT_EQ(reply["choices"][0]["finish_reason"], "stop") << reply;
        return reply["choices"][0]["message"]["content"];
    }
    static void expectFits(const std::string &text)
    {
        const json value = json::parse(text, nullptr, false);
        ASSERT_TRUE(value.is_object()) << text;
        EXPECT_EQ(value.size(), 3u) << text;
        EXPECT_TRUE(value["description"].is_string()) << text;
        EXPECT_GE(value["amount"], 1);
        EXPECT_LE(value["amount"], 99);
        EXPECT_TRUE(value["kind"] == "small" || value["kind"] == "large") << text;
    }
};

TEST_F(AnswerFormTest, SchemasHoldWhateverTheyAreCalled)
{
    const json named{{"name", "thing"}, {"strict", true}, {"schema", kSchema}};
    const json open{{"name", "thing"}, {"schema", kSchema}};
    for (const json &form :
         std::vector<json>{{{"response_format", {{"type", "json_schema"}, {"json_schema", named}}}},
                           {{"response_format", {{"type", "json_schema"}, {"json_schema", open}}}},
                           {{"response_format", {{"type", "json_object"}, {"schema", kSchema}}}},
                           {{"response_format", {{"type", "json_schema"}, {"schema", kSchema}}}},
                           {{"json_schema", kSchema}},
                           {{"guided_json", kSchema}},
                           {{"guided_json", kSchema.dump()}},
                           {{"structured_outputs", {{"json", kSchema}}}}})
        expectFits(answer(form));
}

TEST_F(AnswerFormTest, AStreamSaysTheSame)
{
    const json form{{"response_format",
                     {{"type", "json_schema"},
                      {"json_schema", {{"name", "x"}, {"schema", kSchema}, {"strict", true}}}}}};
    const json message = joined(posted("/v1/chat/completions", asked(form, true)));
    expectFits(message["content"]);
    EXPECT_EQ(message["finish_reason"], "stop");
    EXPECT_EQ(message["content"], answer(form));
}

TEST_F(AnswerFormTest, AnyObjectBegins)
{
    const json reply =
        post("/v1/chat/completions", asked({{"response_format", {{"type", "json_object"}}}}));
    const std::string text = reply["choices"][0]["message"]["content"];
    EXPECT_TRUE(text.starts_with('{')) << text;
    if (reply["choices"][0]["finish_reason"] == "stop") {
        EXPECT_TRUE(json::parse(text, nullptr, false).is_object()) << text;
    }
}

TEST_F(AnswerFormTest, ExpressionsGrammarsAndChoices)
{
    const std::regex number("(yes|no), [0-9]{4}");
    const std::string pattern = "(yes|no), [0-9]{4}",
                      gbnf = "root ::= (\"yes\" | \"no\") \", \" [0-9]{4}";
    for (const json &form : std::vector<json>{{{"regex", pattern}},
                                              {{"guided_regex", pattern}},
                                              {{"structured_outputs", {{"regex", pattern}}}},
                                              {{"grammar", gbnf}},
                                              {{"ebnf", gbnf}},
                                              {{"guided_grammar", gbnf}},
                                              {{"structured_outputs", {{"grammar", gbnf}}}}}) {
        const std::string text = answer(form);
        EXPECT_TRUE(std::regex_match(text, number)) << text << " for " << form;
    }
    const std::vector<std::string> words{"up \"and\" away", "down"};
    for (const json &form : std::vector<json>{{{"guided_choice", words}},
                                              {{"structured_outputs", {{"choice", words}}}}}) {
        const std::string text = answer(form);
        EXPECT_TRUE(text == words[0] || text == words[1]) << text;
    }
    const json plain =
        post("/v1/completions",
             {{"model", "starter"}, {"prompt", "Once"}, {"max_tokens", 40}, {"regex", pattern}});
    EXPECT_TRUE(std::regex_match(plain["choices"][0]["text"].get<std::string>(), number)) << plain;
}

// Several forms, and none, in one batch.
TEST_F(AnswerFormTest, ManyAtOnce)
{
    std::vector<std::jthread> clients;
    for (int i = 0; i < 6; ++i)
        clients.emplace_back([i] {
            if (i % 3 == 0)
                expectFits(answer({{"json_schema", kSchema}, {"n", 1}}));
            else if (i % 3 == 1)
                EXPECT_TRUE(std::regex_match(answer({{"regex", "[a-z]{3,9}[.]"}}),
                                             std::regex("[a-z]{3,9}[.]")));
            else
                post("/v1/chat/completions", chat("What is Fireside?"));
        });
}

TEST_F(AnswerFormTest, WhatIsWrongIsRefusedByName)
{
    const auto refused = [](const json &form) {
        return ServerTest::refused("/v1/chat/completions", chat("x", form));
    };
    const auto format = [&](const json &value) { return refused({{"response_format", value}}); };
    EXPECT_EQ(format("json"), "response_format");
    EXPECT_EQ(format({{"type", "xml"}}), "response_format.type");
    EXPECT_EQ(format({{"type", "json_schema"}}), "response_format.json_schema");
    EXPECT_EQ(format({{"type", "json_schema"}, {"json_schema", {{"name", "x"}}}}),
              "response_format.json_schema.schema");
    EXPECT_EQ(format({{"type", "json_schema"}, {"json_schema", {{"schema", 5}}}}),
              "response_format.json_schema.schema");
    const json unknown{{"schema", {{"not", {{"type", "string"}}}}}, {"strict", true}};
    EXPECT_EQ(format({{"type", "json_schema"}, {"json_schema", unknown}}),
              "response_format.json_schema.schema");
    const json wrong{{"schema", {{"type", "strin"}}}};
    EXPECT_EQ(format({{"type", "json_schema"}, {"json_schema", wrong}}),
              "response_format.json_schema.schema");
    EXPECT_EQ(format({{"type", "text"}, {"schema", kSchema}}), "response_format.schema");
    json large{{"type", "object"}, {"properties", json::object()}};
    for (int i = 0; i < 400; ++i)
        large["properties"]["p" + std::to_string(i)] = {{"type", "string"}};
    EXPECT_EQ(refused({{"json_schema", large}}), "json_schema");
    EXPECT_EQ(refused({{"regex", "(a"}}), "regex");
    EXPECT_EQ(refused({{"regex", "(((a{1000}){1000}){1000}){1000}"}}), "regex");
    EXPECT_EQ(refused({{"grammar", "root ::= other"}}), "grammar");
    EXPECT_EQ(refused({{"grammar", 5}}), "grammar");
    EXPECT_EQ(answer({{"regex", "[ab]"}}).size(), 1u);
    EXPECT_EQ(refused({{"grammar", "[ab]"}}), "grammar"); // the same text means something else
    EXPECT_EQ(refused({{"grammar", "root ::= \"a\""}, {"regex", "a"}}), "regex");
    EXPECT_EQ(refused({{"guided_choice", json::array()}}), "guided_choice");
    EXPECT_EQ(refused({{"structured_outputs", json::object()}}), "structured_outputs");
    EXPECT_EQ(refused({{"structured_outputs", {{"regexp", "a"}}}}), "structured_outputs.regexp");
    json deep = json::object();
    for (int i = 0; i < 200; ++i)
        deep = {{"items", deep}};
    EXPECT_EQ(refused({{"json_schema", deep}}), "");
    json wide = json::object();
    for (int i = 0; i < 2000; ++i)
        wide["p" + std::to_string(i)] = true;
    EXPECT_EQ(refused({{"json_schema", {{"properties", wide}}}}), "");
}

} // namespace
} // namespace fireside
