#pragma once
#include "engine/text/reply/schema_types.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

// Values as models write them in calls of tools. Everything here comes from a model and may be
// broken: nothing throws, and nesting is limited.
namespace fireside {

constexpr int kDeepestValue = 100;
constexpr std::string_view kGemmaQuote = "<|\"|>";

std::string_view trimmed(std::string_view text); // without white space at both ends
/// Takes `start` off the front; false when it is not there.
bool take(std::string_view &text, std::string_view start);
void skipSpace(std::string_view &text);
bool agree(std::string_view a, std::string_view b); // one begins with the other
/// What stands before `end`, which is taken off too; nullopt when it is not there.
std::optional<std::string_view> takeUntil(std::string_view &text, std::string_view end);

/// Takes a JSON object or list off the front.
std::optional<nlohmann::ordered_json> takeJson(std::string_view &text);
/// The whole text as JSON; nullopt also where it is nested too deeply.
std::optional<nlohmann::ordered_json> parseJson(std::string_view text);
/// The whole text as a value: JSON or Python, without strings in Python's quotes.
std::optional<nlohmann::ordered_json> readValue(std::string_view text);
/// Takes an object or list off the front, as JSON or as Python writes it.
std::optional<nlohmann::ordered_json> takeStructure(std::string_view &text);
/// The whole text as an object or list in JSON or Python; its last brackets may be missing, or be
/// too many.
std::optional<nlohmann::ordered_json> readStructure(std::string_view text);
/// Takes a value of Python off the front: 'text', 1.5, True, None, [ … ], { … }.
std::optional<nlohmann::ordered_json> takePython(std::string_view &text, int depth = 0);
/// Takes Gemma's form off the front: {key:<|"|>text<|"|>,list:[1,true],word:some words}
std::optional<nlohmann::ordered_json> takeGemma(std::string_view &text, const SchemaView &schema);
/// A name of a tool: not empty, without white space, quotes or brackets.
bool isToolName(std::string_view text);

} // namespace fireside
