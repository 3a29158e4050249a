#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

// Values as models write them in calls of tools. Everything here comes from a model and may be
// broken: nothing throws, and nesting is limited.
namespace fireside {

constexpr int kDeepestValue = 100;

std::string_view trimmed(std::string_view text); // without white space at both ends
/// Takes `start` off the front; false when it is not there.
bool take(std::string_view &text, std::string_view start);
void skipSpace(std::string_view &text);
/// What stands before `end`, which is taken off too; nullopt when it is not there.
std::optional<std::string_view> takeUntil(std::string_view &text, std::string_view end);

/// Takes a JSON object or list off the front.
std::optional<nlohmann::ordered_json> takeJson(std::string_view &text);
/// The whole text as JSON; nullopt also where it is nested too deeply.
std::optional<nlohmann::ordered_json> parseJson(std::string_view text);
/// A value that stands between tags: JSON or Python's words, else the text itself.
nlohmann::ordered_json taggedValue(std::string_view text);
/// Takes a value of Python off the front: 'text', 1.5, True, None, [ … ], { … }.
std::optional<nlohmann::ordered_json> takePython(std::string_view &text, int depth = 0);
/// Takes Gemma's form off the front: {key:<|"|>text<|"|>,list:[1,true]}
std::optional<nlohmann::ordered_json> takeGemma(std::string_view &text, int depth = 0);
/// A name of a tool: not empty, without white space, quotes or brackets.
bool isToolName(std::string_view text);

} // namespace fireside
