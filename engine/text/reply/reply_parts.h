#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What a reply is made of. A model writes one stream of text; its format (reply_format.h) says
// where thoughts and calls of tools begin and end in it.
namespace fireside {

enum class ReplyPartKind : std::uint8_t { Text, Reasoning, ToolCall };

struct ToolCall
{
    std::string name;
    std::string arguments = "{}"; // a JSON object
    std::string id;               // empty where the format has none
    bool operator==(const ToolCall &) const = default;
};

/// A piece of a growing reply. The raw texts of all pieces, joined, are what the model wrote.
struct ReplyDelta
{
    ReplyPartKind kind = ReplyPartKind::Text;
    std::string raw;              // valid UTF-8, markers and control tokens included
    std::string text;             // what is to be shown of it
    std::optional<ToolCall> call; // of a ToolCall: each comes whole
    bool begins = false;          // a new part, also where the kind stays the same
    bool takesAllBefore = false;  // the text so far was reasoning that the prompt had begun
};

/// A whole part: joined pieces.
struct ReplyPart
{
    ReplyPartKind kind = ReplyPartKind::Text;
    std::string raw, text;
    std::optional<ToolCall> call;
};

/// Adds a piece to the parts so far. What shows nothing joins the part before it.
void append(std::vector<ReplyPart> &parts, const ReplyDelta &delta);
std::vector<ReplyPart> joined(std::span<const ReplyDelta> deltas);

} // namespace fireside
