#include "ui/math/alphabets.h"

#include <algorithm>
#include <array>

namespace fireside {

namespace {

struct Starts
{
    char32_t capital, small, digit, greekCapital, greekSmall; // 0: none
};

constexpr Starts startsOf(Alphabet alphabet)
{
    switch (alphabet) {
    case Alphabet::Bold:
        return {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2};
    case Alphabet::Italic:
        return {0x1D434, 0x1D44E, 0, 0x1D6E2, 0x1D6FC};
    case Alphabet::Default:
        return {0x1D434, 0x1D44E, 0, 0, 0x1D6FC};
    case Alphabet::BoldItalic:
        return {0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736};
    case Alphabet::Script:
        return {0x1D49C, 0x1D4B6, 0, 0, 0};
    case Alphabet::BoldScript:
        return {0x1D4D0, 0x1D4EA, 0, 0, 0};
    case Alphabet::Fraktur:
        return {0x1D504, 0x1D51E, 0, 0, 0};
    case Alphabet::BoldFraktur:
        return {0x1D56C, 0x1D586, 0, 0, 0};
    case Alphabet::DoubleStruck:
        return {0x1D538, 0x1D552, 0x1D7D8, 0, 0};
    case Alphabet::Sans:
        return {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0};
    case Alphabet::BoldSans:
        return {0x1D5D4, 0x1D5EE, 0x1D7EC, 0, 0};
    case Alphabet::Monospace:
        return {0x1D670, 0x1D68A, 0x1D7F6, 0, 0};
    case Alphabet::Upright:
        break;
    }
    return {0, 0, 0, 0, 0};
}

/// Letters that Unicode had before it got the alphabets.
constexpr std::array<std::pair<char32_t, char32_t>, 24> kOlder = {{
    {0x1D455, 0x210E}, {0x1D49D, 0x212C}, {0x1D4A0, 0x2130}, {0x1D4A1, 0x2131}, {0x1D4A3, 0x210B},
    {0x1D4A4, 0x2110}, {0x1D4A7, 0x2112}, {0x1D4A8, 0x2133}, {0x1D4AD, 0x211B}, {0x1D4BA, 0x212F},
    {0x1D4BC, 0x210A}, {0x1D4C4, 0x2134}, {0x1D506, 0x212D}, {0x1D50B, 0x210C}, {0x1D50C, 0x2111},
    {0x1D515, 0x211C}, {0x1D51D, 0x2128}, {0x1D53A, 0x2102}, {0x1D53F, 0x210D}, {0x1D545, 0x2115},
    {0x1D547, 0x2119}, {0x1D548, 0x211A}, {0x1D549, 0x211D}, {0x1D551, 0x2124},
}};

/// Behind omega: ∂ ϵ ϑ ϰ ϕ ϱ ϖ.
constexpr std::array<char32_t, 7> kGreekVariants = {0x2202, 0x03F5, 0x03D1, 0x03F0,
                                                    0x03D5, 0x03F1, 0x03D6};

} // namespace

char32_t inAlphabet(char32_t c, Alphabet alphabet)
{
    const Starts starts = startsOf(alphabet);
    char32_t found = 0;
    if (c >= U'A' && c <= U'Z' && starts.capital)
        found = starts.capital + (c - U'A');
    else if (c >= U'a' && c <= U'z' && starts.small)
        found = starts.small + (c - U'a');
    else if (c >= U'0' && c <= U'9' && starts.digit)
        found = starts.digit + (c - U'0');
    else if (c >= 0x391 && c <= 0x3A9 && starts.greekCapital)
        found = starts.greekCapital + (c - 0x391);
    else if (c >= 0x3B1 && c <= 0x3C9 && starts.greekSmall)
        found = starts.greekSmall + (c - 0x3B1);
    else if (c == 0x2207 && starts.greekCapital)
        found = starts.greekCapital + 25;
    else if (starts.greekSmall) {
        const auto *const at = std::find(kGreekVariants.begin(), kGreekVariants.end(), c);
        if (at != kGreekVariants.end())
            found = starts.greekSmall + 25 + char32_t(at - kGreekVariants.begin());
    }
    if (!found)
        return c;
    for (const auto &[place, letter] : kOlder) {
        if (place == found)
            return letter;
    }
    return found;
}

} // namespace fireside
