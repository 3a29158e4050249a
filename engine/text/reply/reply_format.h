#pragma once
#include "engine/text/chat_template.h"
#include "engine/text/reply/call_syntaxes.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// How a model writes its thoughts and its calls of tools.
struct ReplyFormat
{
    std::string reasoningOpen = "<think>", reasoningClose = "</think>";
    /// Whether the template speaks of reasoning; else these are only looked for at the beginning.
    bool reasons = false;
    std::string reasoningEnd = "\n</think>\n\n"; // what leads from thoughts to the answer
    std::string reasoningKey; // the member of messages that the template takes them from, or empty
    bool channels = false;    // gpt-oss: messages with headers
    std::vector<const CallSyntax *> calls; // the model's own first
    bool callsWritten = false;             // the template writes calls itself
    bool argumentsAsText = false;    // what it wants as arguments: JSON as a text, not an object
    std::vector<std::string> frames; // around the answer, not to be shown
    std::shared_ptr<const OfferedTools> offered; // that may be called; nullptr: not known

    /// Whether a reply to this prompt begins inside of reasoning.
    bool opensIn(std::string_view prompt) const;
};

/// What a template can be told about thinking, by the names of its variables.
struct ThinkingSwitches
{
    std::string onOff;  // true or false; empty: it has none
    std::string effort; // "low", "medium", "high"
    std::string budget; // tokens
    bool operator==(const ThinkingSwitches &) const = default;
};

enum class Thinking { Automatic, On, Off };

/// How a model is asked to think, as far as its template can tell it.
struct ThinkingChoice
{
    Thinking thinking = Thinking::Automatic;
    std::string effort; // "low", "medium", "high"; empty: the model's own
    int budget = 0;     // tokens; 0: no limit
};

/// Adds what the template reads of the choice.
void addVariables(nlohmann::ordered_json &context, const ThinkingSwitches &switches,
                  const ThinkingChoice &choice);
/// A message as the template wants it. Calls that it does not write stand in the content.
/// withParts: the content is ChatMessage::parts where there are some.
nlohmann::ordered_json messageFor(const ReplyFormat &format, const ChatMessage &message,
                                  bool withParts = false);

/// Found by rendering probes with the template and looking at what stands around them; where it
/// writes no thoughts or calls, by markers in its source.
ReplyFormat replyFormatOf(const ChatTemplate &chatTemplate, const std::string &bosText = "<s>",
                          const std::string &eosText = "</s>");
/// Found by rendering with and without: a switch is what changes something.
ThinkingSwitches thinkingSwitchesOf(const ChatTemplate &chatTemplate,
                                    const std::string &bosText = "<s>",
                                    const std::string &eosText = "</s>");

} // namespace fireside
