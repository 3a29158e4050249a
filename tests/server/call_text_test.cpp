// Calls cut out of an answer that is made of them, however its text arrives.
#include "app/server/call_text.h"

#include <gtest/gtest.h>

#include <utility>

namespace fireside::server {
namespace {

using Calls = std::vector<std::pair<std::string, std::string>>; // names and arguments

Calls callsOf(std::string_view text, std::size_t bytesAtOnce)
{
    CallText reader;
    std::vector<ReplyPiece> pieces;
    for (std::size_t at = 0; at < text.size(); at += bytesAtOnce)
        reader.push(text.substr(at, bytesAtOnce), pieces);
    Calls calls;
    for (const ReplyPiece &piece : pieces) {
        if (piece.kind == ReplyPiece::Kind::Call) {
            EXPECT_EQ(piece.id.size(), 9u);
            calls.emplace_back(piece.text, "");
        } else if (!calls.empty()) {
            EXPECT_EQ(piece.kind, ReplyPiece::Kind::Arguments);
            calls.back().second += piece.text;
        } else {
            ADD_FAILURE() << "arguments of no call: " << piece.text;
        }
    }
    return calls;
}

TEST(CallText, NamesAndArgumentsHoweverTheyArrive)
{
    // Quotes, brackets and what looks like the next call stand in a text.
    const std::string odd = R"({"a": "}\" {\"name\": \"x\", \\", "b": {"c": [{}, "{"]}})";
    const std::string one = R"({"name": "odd", "arguments": )" + odd + "}";
    const std::string two = R"([{"name": "first", "arguments": {}}, )" + one + "]";
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{7}, two.size()}) {
        EXPECT_EQ(callsOf(one, bytes), (Calls{{"odd", odd}})) << bytes;
        EXPECT_EQ(callsOf(two, bytes), (Calls{{"first", "{}"}, {"odd", odd}})) << bytes;
    }
}

TEST(CallText, ACallThatIsCutOffHasWhatThereWas)
{
    EXPECT_EQ(callsOf(R"({"name": "o)", 3), Calls());
    EXPECT_EQ(callsOf(R"({"name": "odd", "arguments": {"a": [1)", 3),
              (Calls{{"odd", R"({"a": [1)"}}));
}

} // namespace
} // namespace fireside::server
