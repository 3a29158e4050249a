#include "engine/core/quote.h"

#include <algorithm>
#include <cstdint>

namespace fireside {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

struct Character
{
    char32_t codepoint = 0;
    std::size_t length = 0; // bytes; 0: no UTF-8 here
};

/// https://www.unicode.org/versions/Unicode15.0.0/ch03.pdf, table 3-7
Character characterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0);
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4)
        return {};
    char32_t codepoint = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        codepoint = codepoint << 6 | (byte(i) & 0x3fu);
    }
    const bool shortest = length == 2 || codepoint >= (length == 3 ? 0x800u : 0x10000u);
    const bool surrogate = codepoint >= 0xd800 && codepoint <= 0xdfff;
    return shortest && !surrogate && codepoint <= 0x10ffff ? Character{codepoint, length}
                                                           : Character{};
}

bool isHarmless(char32_t c)
{
    return c >= 0x20 && !(c >= 0x7f && c <= 0x9f)         // controls
           && c != 0xad                                   // soft hyphen
           && c != 0x61c && !(c >= 0x200b && c <= 0x200f) // marks of direction, of no width
           && !(c >= 0x2028 && c <= 0x202e)               // line ends, embeddings, overrides
           && !(c >= 0x2060 && c <= 0x206f)               // isolates
           && c != 0xfeff && !(c >= 0xfff9 && c <= 0xfffb) && !(c >= 0xe0000 && c <= 0xe0fff);
}

void appendHex(std::string &out, std::uint32_t value, int digits)
{
    while (digits-- > 0)
        out += kDigits[value >> (4 * digits) & 15];
}

std::string escaped(char32_t c)
{
    if (c == '\n')
        return "\\n";
    if (c == '\t')
        return "\\t";
    if (c == '\r')
        return "\\r";
    std::string out = c < 0x80 ? "\\x" : c > 0xffff ? "\\U" : "\\u";
    appendHex(out, c, c < 0x80 ? 2 : c > 0xffff ? 8 : 4);
    return out;
}

} // namespace

std::string printable(std::string_view text, std::size_t limit)
{
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
    if (text.size() <= limit && std::all_of(text.begin(), text.end(), plain))
        return std::string(text); // nearly always
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = characterAt(text, at);
        std::string piece;
        if (c.length == 0) {
            piece = "\\x";
            appendHex(piece, static_cast<unsigned char>(text[at]), 2);
        } else {
            piece = isHarmless(c.codepoint) ? std::string(text.substr(at, c.length))
                                            : escaped(c.codepoint);
        }
        if (out.size() + piece.size() > limit)
            return out + "…";
        out += piece;
        at += c.length == 0 ? 1 : c.length;
    }
    return out;
}

std::string quoted(std::string_view text)
{
    return '\'' + printable(text, kLongestQuote) + '\'';
}

} // namespace fireside
