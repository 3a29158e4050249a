#include "engine/text/jinja/values/text_tools.h"

#include <algorithm>
#include <utf8proc.h>
#include <vector>

namespace fireside::jinja {

std::size_t countCharacters(std::string_view text)
{
    std::size_t count = 0;
    for (const char c : text)
        count += isContinuation(c) ? 0 : 1;
    // A string that starts inside a character still has that broken character.
    return count + (!text.empty() && isContinuation(text[0]) ? 1 : 0);
}

std::size_t nextCharacter(std::string_view text, std::size_t at)
{
    ++at;
    while (at < text.size() && isContinuation(text[at]))
        ++at;
    return std::min(at, text.size());
}

std::size_t previousCharacter(std::string_view text, std::size_t at)
{
    if (at > 0)
        --at;
    while (at > 0 && isContinuation(text[at]))
        --at;
    return at;
}

std::int32_t decodeCharacter(std::string_view character)
{
    utf8proc_int32_t codePoint = -1;
    const auto used = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(character.data()),
                                       static_cast<utf8proc_ssize_t>(character.size()), &codePoint);
    return used == static_cast<utf8proc_ssize_t>(character.size()) ? codePoint : -1;
}

void appendUtf8(std::string &out, std::uint32_t codePoint)
{
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint < 0xE000))
        codePoint = 0xFFFD;
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes);
    out.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size));
}

bool isSpace(std::int32_t c)
{
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool isLetter(std::int32_t c)
{
    if (c < 0)
        return false;
    const auto category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isDigit(std::int32_t c)
{
    return c >= 0 && utf8proc_category(c) == UTF8PROC_CATEGORY_ND;
}
bool isUpper(std::int32_t c)
{
    return c >= 0 && utf8proc_category(c) == UTF8PROC_CATEGORY_LU;
}
bool isLower(std::int32_t c)
{
    return c >= 0 && utf8proc_category(c) == UTF8PROC_CATEGORY_LL;
}

std::string upperCharacter(std::string_view character)
{
    const std::int32_t c = decodeCharacter(character);
    if (c == 0xDF) // ß: the one common letter whose capital form is two letters
        return "SS";
    if (c < 0)
        return std::string(character);
    std::string out;
    appendUtf8(out, static_cast<std::uint32_t>(utf8proc_toupper(c)));
    return out;
}

std::string lowerCharacter(std::string_view character)
{
    const std::int32_t c = decodeCharacter(character);
    if (c < 0)
        return std::string(character);
    std::string out;
    appendUtf8(out, static_cast<std::uint32_t>(utf8proc_tolower(c)));
    return out;
}

MarkedText::Range stripSpace(std::string_view text, bool left, bool right)
{
    std::size_t begin = 0, end = text.size();
    while (left && begin < end) {
        const std::size_t next = nextCharacter(text.substr(0, end), begin);
        if (!isSpace(decodeCharacter(text.substr(begin, next - begin))))
            break;
        begin = next;
    }
    while (right && end > begin) {
        const std::size_t last = previousCharacter(text, end);
        if (last < begin || !isSpace(decodeCharacter(text.substr(last, end - last))))
            break;
        end = last;
    }
    return {begin, end};
}

constexpr std::size_t kShortNeedle = 16; // find() is never far from linear

std::size_t searchCost(std::string_view text, std::string_view needle)
{
    constexpr std::size_t kShortCost = 4, kLongCost = 16;
    return needle.size() <= kShortNeedle ? kShortCost * text.size()
                                         : kLongCost * (text.size() + needle.size());
}

std::size_t findText(std::string_view text, std::string_view needle, std::size_t from)
{
    if (needle.size() <= kShortNeedle || text.size() < needle.size())
        return text.find(needle, from);
    // Knuth-Morris-Pratt: find() is quadratic for needles such as "aaaa…b".
    std::vector<std::size_t> border(needle.size(), 0);
    for (std::size_t i = 1, k = 0; i < needle.size(); ++i) {
        while (k > 0 && needle[i] != needle[k])
            k = border[k - 1];
        k += needle[i] == needle[k] ? 1 : 0;
        border[i] = k;
    }
    for (std::size_t i = from, k = 0; i < text.size(); ++i) {
        while (k > 0 && text[i] != needle[k])
            k = border[k - 1];
        k += text[i] == needle[k] ? 1 : 0;
        if (k == needle.size())
            return i + 1 - k;
    }
    return std::string_view::npos;
}

namespace {

auto firstRangeAfter(const MarkedText &text, std::size_t begin)
{
    return std::upper_bound(text.untrusted.begin(), text.untrusted.end(), begin,
                            [](std::size_t at, const MarkedText::Range &r) { return at < r.end; });
}

} // namespace

void MarkedBuilder::mark(std::size_t begin, std::size_t end)
{
    if (begin == end)
        return;
    auto &ranges = m_result.untrusted;
    if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
    else
        ranges.push_back({begin, end});
}

void MarkedBuilder::append(const MarkedText &source, std::size_t begin, std::size_t end)
{
    const std::size_t base = m_result.text.size();
    m_result.text.append(source.text, begin, end - begin);
    for (auto r = firstRangeAfter(source, begin); r != source.untrusted.end() && r->begin < end;
         ++r)
        mark(base + std::max(r->begin, begin) - begin, base + std::min(r->end, end) - begin);
}

void MarkedBuilder::append(std::string_view text, bool untrusted)
{
    const std::size_t base = m_result.text.size();
    m_result.text += text;
    if (untrusted)
        mark(base, m_result.text.size());
}

void MarkedBuilder::appendDerived(std::string_view text, const MarkedText &source,
                                  std::size_t begin, std::size_t end)
{
    append(text, touchesUntrusted(source, begin, end));
}

bool touchesUntrusted(const MarkedText &text, std::size_t begin, std::size_t end)
{
    const auto r = firstRangeAfter(text, begin);
    return r != text.untrusted.end() && r->begin < end;
}

MarkedText slice(const MarkedText &text, std::size_t begin, std::size_t end)
{
    MarkedBuilder out;
    out.append(text, begin, end);
    return out.take();
}

} // namespace fireside::jinja
