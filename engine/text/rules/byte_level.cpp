#include "engine/text/rules/byte_level.h"

#include "engine/text/unicode.h"

#include <array>

namespace fireside {
namespace {

struct Tables
{
    std::array<char16_t, 256> character{};
    std::array<std::int16_t, 0x144> byte{}; // -1: no byte has this character

    constexpr Tables()
    {
        for (auto &entry : byte)
            entry = -1;
        char16_t next = 0x100;
        for (unsigned b = 0; b < 256; ++b) {
            const bool printable =
                (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            character[b] = printable ? static_cast<char16_t>(b) : next++;
            byte[character[b]] = static_cast<std::int16_t>(b);
        }
    }
};
constexpr Tables kTables;

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

} // namespace

char32_t byteLevelCharacter(std::uint8_t byte)
{
    return kTables.character[byte];
}

std::optional<std::uint8_t> byteLevelByte(char32_t character)
{
    if (character >= kTables.byte.size() || kTables.byte[character] < 0)
        return std::nullopt;
    return static_cast<std::uint8_t>(kTables.byte[character]);
}

std::string toByteLevel(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    for (const char c : bytes)
        appendUtf8(out, byteLevelCharacter(static_cast<std::uint8_t>(c)));
    return out;
}

std::string fromByteLevel(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decodeUtf8(text, at);
        const auto byte =
            step.state == Utf8State::Valid ? byteLevelByte(step.codepoint) : std::nullopt;
        if (!byte)
            return std::string(text);
        out.push_back(static_cast<char>(*byte));
        at += step.length;
    }
    return out;
}

std::optional<std::uint8_t> parseByteToken(std::string_view text)
{
    if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>')
        return std::nullopt;
    const int high = hexDigit(text[3]), low = hexDigit(text[4]);
    if (high < 0 || low < 0)
        return std::nullopt;
    return static_cast<std::uint8_t>(high * 16 + low);
}

} // namespace fireside
