// Messages, and parameters as headers.
#include "app/tools/mcp/line_reader.h"
#include "app/tools/mcp/protocol.h"

#include <gtest/gtest.h>

namespace fireside::mcp {
namespace {

ToolJson json(const QByteArray &text)
{
    return parsedJson(text).value_or(ToolJson());
}

TEST(ToolProtocol, ModernRequestsSayEverything)
{
    const Outgoing message = request(5, "tools/list", nullptr, true, ToolJson::object());
    const ToolJson &meta = message.body["params"]["_meta"];
    EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    EXPECT_EQ(meta["io.modelcontextprotocol/clientInfo"]["name"], "fireside");
    EXPECT_TRUE(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    EXPECT_FALSE(
        request(5, "tools/list", nullptr, false, ToolJson::object()).body.contains("params"));
    const ToolJson hello = initializeRequest(1, ToolJson::object()).body;
    EXPECT_EQ(hello["params"]["protocolVersion"], "2025-11-25");
    EXPECT_EQ(hello["params"]["clientInfo"]["name"], "fireside");
}

TEST(ToolProtocol, AnythingElseIsGarbage)
{
    for (const char *text : {"null", "1", "[]", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})",
                             R"({"id":1,"result":{}})", R"({"jsonrpc":"2.0","id":1})",
                             R"({"jsonrpc":"2.0","id":1,"error":"no"})"})
        EXPECT_EQ(incoming(json(text)).kind, Incoming::Garbage) << text;
    EXPECT_EQ(incoming(json(R"({"jsonrpc":"2.0","id":"1","result":{}})")).id, 0);
    EXPECT_EQ(incoming(json(R"({"jsonrpc":"2.0","id":7,"result":{}})")).id, 7);
    EXPECT_EQ(incoming(json(R"({"jsonrpc":"2.0","id":7,"method":"ping"})")).kind,
              Incoming::Request);
}

TEST(ToolProtocol, ToolsThatCannotBeUsedAreNamed)
{
    QStringList problems;
    const auto list = json(R"({"tools": [{"name":"a","inputSchema":{"type":"object"}}, {"name":"b"},
        {"inputSchema":{}}, {"name":"c","inputSchema":null}, 5, {"name":"\u0007","inputSchema":{}},
        {"name":"h","inputSchema":{"properties":{"x":{"type":"number","x-mcp-header":"X"}}}}]})");
    EXPECT_EQ(toolsIn(list, QStringLiteral("s"), true, problems).size(), 1);
    EXPECT_EQ(problems.size(), 6);
    problems.clear();
    EXPECT_EQ(toolsIn(list, QStringLiteral("s"), false, problems).size(), 2);
    EXPECT_TRUE(toolsIn(json("{}"), QStringLiteral("s"), false, problems).isEmpty());
}

TEST(ToolProtocol, HeadersFollowTheRules)
{
    const ToolJson schema = json(R"({"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
        "on":{"type":"boolean","x-mcp-header":"On"}}})");
    ASSERT_TRUE(headerPlaces(schema));
    EXPECT_EQ(headerPlaces(schema)->size(), 3);
    const auto headers = parameterHeaders(
        schema, json(R"({"region":"us-west1","in":{"n":-7},"on":null,"other":1})"));
    ASSERT_EQ(headers.size(), 2);
    EXPECT_EQ(headers[0], (QPair<QByteArray, QByteArray>("Mcp-Param-Region", "us-west1")));
    EXPECT_EQ(headers[1], (QPair<QByteArray, QByteArray>("Mcp-Param-N", "-7")));
    for (const char *wrong :
         {R"({"x-mcp-header":"A"})", R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":"A B"}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},
              "b":{"type":"string","x-mcp-header":"a"}}})",
          R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
          R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})"})
        EXPECT_FALSE(headerPlaces(json(wrong))) << wrong;
    // The examples of the specification.
    EXPECT_EQ(headerValue("us-west1"), "us-west1");
    EXPECT_EQ(headerValue("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    EXPECT_EQ(headerValue(" padded "), "=?base64?IHBhZGRlZCA=?=");
    EXPECT_EQ(headerValue("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
    EXPECT_EQ(headerValue("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

TEST(ToolProtocol, ResultsDoNotGrow)
{
    // Each in two or three bytes of a message, which may have millions of them.
    for (const char *one : {"{}", "7", "[]", R"({"type":"image"})"}) {
        QByteArray many = one;
        for (int i = 0; i < 100'000; ++i)
            many += "," + QByteArray(one);
        const ToolResult read = resultOf(json("{\"content\":[" + many + "]}"));
        EXPECT_EQ(read.kind, ToolResult::Done);
        EXPECT_LT(read.text.size(), 100'000) << one;
        EXPECT_TRUE(read.text.contains(QLatin1String("99001"))) << one;
    }
    // Deep: with spaces in front of each number it would be hundreds of times as long.
    QByteArray numbers = "1";
    for (int i = 0; i < 100'000; ++i)
        numbers += ",1";
    const QByteArray deep = QByteArray(90, '[') + numbers + QByteArray(90, ']');
    for (const char *name : {"structuredContent", "toolResult"}) {
        const QByteArray whole = "{\"" + QByteArray(name) + "\":" + deep + "}";
        EXPECT_LT(resultOf(json(whole)).text.size(), 2 * deep.size()) << name;
    }
    EXPECT_FALSE(parsedJson(QByteArray(1'000'000, '[')));
    const QString small = resultOf(json(R"({"structuredContent":{"a":[1]}})")).text;
    EXPECT_TRUE(small.contains(QLatin1String("\n"))) << qPrintable(small);
    // Said about what is left out, not by it.
    const QByteArray type(1'000'000, 't');
    for (const QByteArray &item :
         {R"({"type":"image","data":"AAAA","mimeType":")" + type + "\"}",
          R"({"type":"resource","resource":{"uri":")" + type + R"(","blob":"AAAA","mimeType":")" +
              type + "\"}}",
          R"({"type":"resource_link","name":")" + type + R"(","uri":")" + type + "\"}"})
        EXPECT_LT(resultOf(json("{\"content\":[" + item + "]}")).text.size(), 1500);
}

TEST(ToolProtocol, WhatToolsSayOfThemselvesHidesNothing)
{
    QStringList problems;
    const auto tools = toolsIn(
        json(R"({"tools":[{"name":"a","title":"x\u202ey","description":"ok\udb40\udc6f\u0007",
        "inputSchema":{"type":"object"}}]})"),
        QStringLiteral("s"), false, problems);
    ASSERT_EQ(tools.size(), 1);
    EXPECT_EQ(tools[0].title, QStringLiteral("x\\u202ey"));
    EXPECT_EQ(tools[0].description, QStringLiteral("ok\\udb40\\udc6f\\u0007"));
}

TEST(ToolProtocol, LinesComeInAnyPieces)
{
    const QByteArray text = "one\r\n\ntwo\nthree";
    for (qsizetype size = 1; size <= text.size(); ++size) {
        LineReader reader(100);
        QList<QByteArray> lines;
        for (qsizetype at = 0; at < text.size(); at += size) {
            reader.push(text.mid(at, size));
            while (const auto line = reader.next())
                lines += *line;
        }
        EXPECT_EQ(lines, (QList<QByteArray>{"one", "", "two"})) << size;
        EXPECT_FALSE(reader.overlong());
    }
    LineReader reader(10);
    reader.push("short\n" + QByteArray(11, 'x'));
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.overlong());
    EXPECT_EQ(reader.held(), 0);
    reader.push("short\n"); // nothing is taken or kept any more
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.held(), 0);
    LineReader complete(10);
    complete.push(QByteArray(11, 'x') + "\nshort\n"); // that it has ended makes it no shorter
    EXPECT_FALSE(complete.next());
    EXPECT_TRUE(complete.overlong());
}

} // namespace
} // namespace fireside::mcp
