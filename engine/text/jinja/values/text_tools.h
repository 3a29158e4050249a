#pragma once
#include "engine/text/marked_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fireside::jinja {

// Characters. Jinja counts in code points; here a character is a byte that is no continuation byte,
// with the continuation bytes after it, so that invalid UTF-8 also has a well-defined length.

inline bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}
std::size_t countCharacters(std::string_view text);
std::size_t nextCharacter(std::string_view text, std::size_t at);
std::size_t previousCharacter(std::string_view text, std::size_t at);
/// The code point of one character, or -1 when its bytes are not valid UTF-8.
std::int32_t decodeCharacter(std::string_view character);
void appendUtf8(std::string &out, std::uint32_t codePoint);

bool isSpace(std::int32_t codePoint); // what Python's str.isspace accepts
bool isLetter(std::int32_t codePoint);
bool isDigit(std::int32_t codePoint);
bool isUpper(std::int32_t codePoint);
bool isLower(std::int32_t codePoint);
std::string upperCharacter(std::string_view character);
std::string lowerCharacter(std::string_view character);

/// text without white space at its ends, as a half-open byte range.
MarkedText::Range stripSpace(std::string_view text, bool left, bool right);

/// Offset of needle at or after `from`, in linear time even for hostile needles; npos when absent.
std::size_t findText(std::string_view text, std::string_view needle, std::size_t from = 0);
/// What findText() costs, in bytes that are only read: long needles are looked for byte by byte.
std::size_t searchCost(std::string_view text, std::string_view needle);

/// Builds text from pieces and keeps which bytes are untrusted.
class MarkedBuilder
{
public:
    void append(const MarkedText &piece) { append(piece, 0, piece.text.size()); }
    void append(const MarkedText &source, std::size_t begin, std::size_t end);
    void append(std::string_view text, bool untrusted = false);
    /// `text` stands for source[begin, end): untrusted when any byte of that is.
    void appendDerived(std::string_view text, const MarkedText &source, std::size_t begin,
                       std::size_t end);
    std::size_t size() const { return m_result.text.size(); }
    std::size_t ranges() const { return m_result.untrusted.size(); }
    const MarkedText &peek() const { return m_result; }
    MarkedText take() { return std::move(m_result); }

private:
    void mark(std::size_t begin, std::size_t end);
    MarkedText m_result;
};

/// True when any byte of text[begin, end) is untrusted.
bool touchesUntrusted(const MarkedText &text, std::size_t begin, std::size_t end);
MarkedText slice(const MarkedText &text, std::size_t begin, std::size_t end);

} // namespace fireside::jinja
