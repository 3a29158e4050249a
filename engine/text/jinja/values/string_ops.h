#pragma once
#include "engine/text/jinja/values/runtime.h"

#include <cstdint>

namespace fireside::jinja {

// Text functions that both the methods of strings and the filters use. All keep origin marks.

/// Without the characters of `chars` (white space when null) at the chosen ends.
Value stripText(Runtime &rt, const StringObject &s, const StringObject *chars, bool left,
                bool right);
/// The first `count` places of `from` replaced; all when count is negative.
Value replaceText(Runtime &rt, const StringObject &s, const StringObject &from,
                  const StringObject &to, std::int64_t count);
/// str.split / str.rsplit; separator null: runs of white space.
std::vector<Value> splitText(Runtime &rt, const StringObject &s, const StringObject *separator,
                             std::int64_t maxSplit, bool fromRight);
std::vector<Value> splitLines(Runtime &rt, const StringObject &s, bool keepEnds);
Value upperText(Runtime &rt, const StringObject &s);
Value lowerText(Runtime &rt, const StringObject &s);
Value capitalizeText(Runtime &rt, const StringObject &s);
/// A capital behind every character that ends a word.
Value titleText(Runtime &rt, const StringObject &s, bool (*endsWord)(std::string_view));
Value swapCaseText(Runtime &rt, const StringObject &s);
Value joinTexts(Runtime &rt, const StringObject &separator, const std::vector<Value> &items);
/// HTML-escaped and markup from then on; markup stays as it is.
Value escapeText(Runtime &rt, const Value &text);
Value reverseText(Runtime &rt, const StringObject &s);
/// Whether a text has letters of the wanted case and none of the other.
bool isCased(Runtime &rt, std::string_view text, bool (*wanted)(std::int32_t),
             bool (*other)(std::int32_t));
/// Where the text stands when it is padded to `width` characters. str.center and the ^ of a format
/// put an odd space on different sides.
enum class Align { Left, Right, Center, FormatCenter };
Value padText(Runtime &rt, const StringObject &s, std::int64_t width, Align align,
              std::string_view fill = " ");

} // namespace fireside::jinja
