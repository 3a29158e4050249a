#pragma once
#include "engine/text/reply/reply_format.h"
#include "engine/text/reply/reply_parser.h"
#include "tests/text/reply_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

// Replies of each family to a chat with tools, pushed whole and in small pieces.
namespace fireside::test {

using Json = nlohmann::ordered_json;
using Piece = ReplyParser::Piece;

inline Json schemaOf(const char *properties)
{
    return {{"type", "object"}, {"properties", Json::parse(properties)}};
}

/// write and read_it take texts, the others what their schemas say.
inline std::vector<ToolDescription> offeredTools()
{
    return {
        {"write", "", schemaOf(R"({"content":{"type":"string"},"path":{"type":"string"}})")},
        {"f", "", schemaOf(R"({
            "a":{"type":"string"}, "b":{"type":"string"}, "n":{"type":"integer"},
            "x":{"type":"number"}, "yes":{"type":"boolean"}, "list":{"type":"array"},
            "maybe":{"type":["string","null"]},
            "option":{"anyOf":[{"type":"string"},{"type":"null"}]}, "few":{"enum":["1","2"]}, "one":{"enum":[1,2]},
            "either":{"anyOf":[{"type":"string"},{"type":"integer"}]},
            "named":{"$ref":"#/$defs/name"}, "upper":{"type":"STRING"},
            "edits":{"type":"array","items":{"type":"object","properties":{
                "old":{"type":"string"},"count":{"type":"integer"}}}},
            "opts":{"type":"object","properties":{"mode":{"type":"string"},
                "deep":{"type":"object","properties":{"id":{"type":"string"}}}}},
            "refs":{"type":"array","items":{"type":"string"}},
            "loc":{"type":"object","properties":{"city":{"type":"string"}}},
            "when":{"type":"string"}, "url":{"type":"string"}, "text":{"type":"string"}})")},
        {"free", "", Json()},
        {"list_tasks", "", schemaOf("{}")},
    };
}

inline ReplyFormat familyFormat(std::string_view family)
{
    ReplyFormat format;
    format.reasons = true;
    if (family == "channels")
        format.channels = true;
    else
        format.calls = {&callSyntax(family)};
    Json named = offeredTools()[1].parameters;
    named["$defs"]["name"]["type"] = "string";
    std::vector<ToolDescription> tools = offeredTools();
    tools[1].parameters = named;
    format.offered = std::make_shared<const OfferedTools>(tools);
    return format;
}

inline std::string shownParts(const std::vector<ReplyDelta> &deltas)
{
    std::string all;
    for (const ReplyPart &part : joined(deltas)) {
        if (part.call)
            all += "{" + part.call->name + " " + part.call->arguments + "}";
        else if (part.kind == ReplyPartKind::Reasoning)
            all += "(" + part.text + ")";
        else
            all += part.text;
    }
    return all;
}

/// What the parser makes of a text in pieces of so many bytes.
inline std::string inPieces(const ReplyFormat &format, const std::string &text, std::size_t length,
                            bool inReasoning = false)
{
    std::vector<ReplyDelta> deltas;
    ReplyParser parser(format, nullptr, inReasoning);
    for (std::size_t at = 0; at < text.size(); at += length)
        parser.push(std::string_view(text).substr(at, length), Piece::Words, deltas);
    parser.finish(deltas);
    EXPECT_EQ(rawText(deltas), text);
    return shownParts(deltas);
}

inline void expectShown(const ReplyFormat &format, const std::string &text,
                        const std::string &expected, bool inReasoning = false)
{
    for (const std::size_t length :
         {text.size() + 1, std::size_t(1), std::size_t(3), std::size_t(7)})
        EXPECT_EQ(inPieces(format, text, length, inReasoning), expected)
            << text << "\nin pieces of " << length;
}

} // namespace fireside::test
