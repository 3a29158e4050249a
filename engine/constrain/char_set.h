#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace fireside::constrain {

inline constexpr char32_t kLastCharacter = 0x10FFFF;

struct CharRange
{
    char32_t low = 0, high = 0; // both included
    bool operator==(const CharRange &) const = default;
};

/// Characters (Unicode scalar values: no surrogates) as ranges in rising order that do not touch.
class CharSet
{
public:
    CharSet() = default;
    CharSet(std::initializer_list<CharRange> ranges);
    static CharSet of(std::string_view ascii);
    static CharSet all();

    void add(char32_t low, char32_t high);
    void add(const CharSet &other);
    CharSet complement() const;
    CharSet without(const CharSet &other) const;
    CharSet both(const CharSet &other) const;

    bool empty() const { return m_ranges.empty(); }
    bool contains(char32_t c) const;
    std::size_t count() const;
    const std::vector<CharRange> &ranges() const { return m_ranges; }
    bool operator==(const CharSet &) const = default;

private:
    void normalize();
    std::vector<CharRange> m_ranges;
};

struct ByteRange
{
    std::uint8_t low = 0, high = 0;
};

/// The UTF-8 of a range of characters, none a surrogate, as runs of byte ranges: each run is every
/// combination of its bytes.
void utf8Runs(CharRange range, const std::function<void(const std::vector<ByteRange> &)> &take);

} // namespace fireside::constrain
