#include "engine/constrain/char_set.h"

#include "engine/text/unicode.h"

#include <algorithm>
#include <array>
#include <string>

namespace fireside::constrain {
namespace {

constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

/// Both ends have as many bytes. Cut until each byte but the first differing one runs freely.
void utf8RunsOfLength(char32_t low, char32_t high, int length,
                      const std::function<void(const std::vector<ByteRange> &)> &take)
{
    for (int i = 1; i < length; ++i) {
        const char32_t mask = (char32_t{1} << (6 * i)) - 1;
        if ((low & ~mask) == (high & ~mask))
            continue;
        if ((low & mask) != 0) {
            utf8RunsOfLength(low, low | mask, length, take);
            return utf8RunsOfLength((low | mask) + 1, high, length, take);
        }
        if ((high & mask) != mask) {
            utf8RunsOfLength(low, (high & ~mask) - 1, length, take);
            return utf8RunsOfLength(high & ~mask, high, length, take);
        }
    }
    std::string first, last;
    appendUtf8(first, low);
    appendUtf8(last, high);
    std::vector<ByteRange> run;
    for (std::size_t i = 0; i < first.size(); ++i)
        run.push_back({static_cast<std::uint8_t>(first[i]), static_cast<std::uint8_t>(last[i])});
    take(run);
}

} // namespace

CharSet::CharSet(std::initializer_list<CharRange> ranges)
    : m_ranges(ranges)
{
    normalize();
}

CharSet CharSet::of(std::string_view ascii)
{
    CharSet set;
    for (const char c : ascii)
        set.m_ranges.push_back({static_cast<unsigned char>(c), static_cast<unsigned char>(c)});
    set.normalize();
    return set;
}

CharSet CharSet::all()
{
    return {{0, kLastCharacter}};
}

void CharSet::add(char32_t low, char32_t high)
{
    m_ranges.push_back({low, std::min(high, kLastCharacter)});
    normalize();
}

void CharSet::add(const CharSet &other)
{
    m_ranges.insert(m_ranges.end(), other.m_ranges.begin(), other.m_ranges.end());
    normalize();
}

void CharSet::normalize()
{
    std::vector<CharRange> cut;
    for (const CharRange &r : m_ranges) {
        if (r.low > r.high)
            continue;
        if (r.low < kFirstSurrogate)
            cut.push_back({r.low, std::min<char32_t>(r.high, kFirstSurrogate - 1)});
        if (r.high > kLastSurrogate)
            cut.push_back({std::max<char32_t>(r.low, kLastSurrogate + 1), r.high});
    }
    std::sort(cut.begin(), cut.end(),
              [](const CharRange &a, const CharRange &b) { return a.low < b.low; });
    m_ranges.clear();
    for (const CharRange &r : cut) {
        if (!m_ranges.empty() && r.low <= m_ranges.back().high + 1)
            m_ranges.back().high = std::max(m_ranges.back().high, r.high);
        else
            m_ranges.push_back(r);
    }
}

CharSet CharSet::complement() const
{
    CharSet out;
    char32_t next = 0;
    for (const CharRange &r : m_ranges) {
        if (r.low > next)
            out.m_ranges.push_back({next, r.low - 1});
        next = r.high + 1;
    }
    if (next <= kLastCharacter)
        out.m_ranges.push_back({next, kLastCharacter});
    out.normalize();
    return out;
}

CharSet CharSet::both(const CharSet &other) const
{
    CharSet out;
    for (std::size_t i = 0, k = 0; i < m_ranges.size() && k < other.m_ranges.size();) {
        const CharRange &a = m_ranges[i], &b = other.m_ranges[k];
        if (std::max(a.low, b.low) <= std::min(a.high, b.high))
            out.m_ranges.push_back({std::max(a.low, b.low), std::min(a.high, b.high)});
        a.high < b.high ? ++i : ++k;
    }
    return out;
}

CharSet CharSet::without(const CharSet &other) const
{
    return both(other.complement());
}

bool CharSet::contains(char32_t c) const
{
    return std::any_of(m_ranges.begin(), m_ranges.end(),
                       [&](const CharRange &r) { return r.low <= c && c <= r.high; });
}

std::size_t CharSet::count() const
{
    std::size_t all = 0;
    for (const CharRange &r : m_ranges)
        all += r.high - r.low + 1;
    return all;
}

void utf8Runs(CharRange range, const std::function<void(const std::vector<ByteRange> &)> &take)
{
    constexpr std::array<char32_t, 4> kLast{0x7F, 0x7FF, 0xFFFF, kLastCharacter};
    char32_t low = range.low;
    for (std::size_t i = 0; i < kLast.size() && low <= range.high; ++i) {
        if (low > kLast[i])
            continue;
        const char32_t high = std::min(range.high, kLast[i]);
        utf8RunsOfLength(low, high, static_cast<int>(i) + 1, take);
        low = high + 1;
    }
}

} // namespace fireside::constrain
