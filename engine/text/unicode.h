#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fireside {

enum class Utf8State : std::uint8_t {
    Valid,
    Invalid,    // can never become a character
    Incomplete, // the text ends inside what is so far a correct character
};

/// One step over UTF-8. `length` is at least 1; for bytes that are no character it covers the
/// longest correct beginning of one (Unicode 15, section 3.9, "maximal subpart"), so that one
/// U+FFFD stands for each step.
struct Utf8Step
{
    char32_t codepoint = 0; // meaningful when Valid
    std::uint8_t length = 1;
    Utf8State state = Utf8State::Valid;
};
Utf8Step decodeUtf8(std::string_view text, std::size_t at); // at < text.size()

/// End of the longest run of valid UTF-8 starting at `at`.
std::size_t validUtf8End(std::string_view text, std::size_t at = 0);
inline bool isValidUtf8(std::string_view text)
{
    return validUtf8End(text) == text.size();
}

void appendUtf8(std::string &out, char32_t codepoint); // codepoint ≤ 0x10FFFF, no surrogate

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
/// The text with U+FFFD for everything that is not UTF-8.
std::string replaceInvalidUtf8(std::string_view text);

enum class NormalForm : std::uint8_t { Nfc, Nfd, Nfkc, Nfkd };
/// Unicode normalisation (UAX #15) of valid UTF-8.
std::string normalizeUnicode(std::string_view text, NormalForm form);
/// Character by character: no rule looks at the neighbours (a final sigma becomes an ordinary one).
std::string lowercaseUnicode(std::string_view text);

bool isWhiteSpace(char32_t c);     // the property White_Space
bool isWordCharacter(char32_t c);  // letter, mark, number or connector punctuation
bool isPunctuation(char32_t c);    // categories P*, and all of ASCII's that is no letter or digit
bool isNumeric(char32_t c);        // categories N*
bool isMark(char32_t c);           // categories M*
bool isNonspacingMark(char32_t c); // category Mn
bool isOther(char32_t c);          // control, format, private use: Cc, Cf, Co, Cs
bool isIdeograph(char32_t c);      // of the blocks that BERT sets apart as Chinese characters

/// End of the extended grapheme cluster (UAX #29) that starts at `at`; valid UTF-8, at < size.
std::size_t graphemeEnd(std::string_view text, std::size_t at);

} // namespace fireside
