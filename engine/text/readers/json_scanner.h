#pragma once
#include "engine/text/unicode.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

namespace fireside {

/// Reads JSON (RFC 8259) from front to back without making values. Functions return false at what
/// they do not understand, which may be right all the same: a parser has to say. Most are here, so
/// that the place in the text can stay in a register, and take steps whose length the processor
/// can guess.
class JsonScanner
{
public:
    /// Texts that are written with escapes go to `unescaped`; all others are views of `text`.
    JsonScanner(std::string_view text, std::deque<std::string> &unescaped)
        : m_begin(text.data())
        , m_at(text.data())
        , m_end(text.data() + text.size())
        , m_unescaped(unescaped)
    {}

    std::size_t position() const { return static_cast<std::size_t>(m_at - m_begin); }
    void seek(std::size_t position) { m_at = m_begin + position; }
    bool atEnd() const { return m_at == m_end; }
    char next() const { return atEnd() ? '\0' : *m_at; }
    bool take(char c)
    {
        if (atEnd() || *m_at != c)
            return false;
        ++m_at;
        return true;
    }

    void skipSpace()
    {
        const char *at = m_at;
        for (;;) {
            while (m_end - at >= 8 && eightAt(at) == ' ' * kEach)
                at += 8;
            if (at == m_end || (*at != ' ' && *at != '\n' && *at != '\r' && *at != '\t'))
                break;
            ++at;
        }
        m_at = at;
    }

    /// A text in quotes, as it is written.
    bool skipString(std::string_view &raw);
    /// A text in quotes that JSON allows, without its escapes.
    bool readString(std::string_view &text)
    {
        const char *const quote = m_at;
        if (!take('"'))
            return false;
        const bool ascii = (skipPlain() & kHigh) == 0;
        if (atEnd() || *m_at != '"')
            return readEscaped(quote, text);
        text = {quote + 1, static_cast<std::size_t>(m_at - (quote + 1))};
        ++m_at;
        return ascii || isValidUtf8(text);
    }

    /// A whole number of at most 18 digits.
    bool readCount(std::uint64_t &value)
    {
        const char *const start = m_at, *at = start;
        std::uint64_t number = 0;
        for (; at < m_end && *at >= '0' && *at <= '9' && at - start < 19; ++at)
            number = number * 10 + static_cast<std::uint64_t>(*at - '0');
        m_at = at;
        value = number;
        return at > start && at - start < 19 && (at - start == 1 || *start != '0');
    }
    bool readNumber(double &value);

private:
    static constexpr std::uint64_t kEach = 0x0101010101010101u, kHigh = 0x80 * kEach;
    static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");

    static std::uint64_t eightAt(const char *at)
    {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        return word;
    }
    /// Marks the first byte that is c; marks behind it may be wrong.
    static std::uint64_t firstOf(std::uint64_t word, unsigned char c)
    {
        const std::uint64_t zero = word ^ c * kEach;
        return (zero - kEach) & ~zero & kHigh;
    }
    /// Marks the first byte at which a text in quotes does not simply go on: a quote, a backslash,
    /// a control character.
    static std::uint64_t firstStop(std::uint64_t word)
    {
        return firstOf(word, '"') | firstOf(word, '\\') | ((word - 0x20 * kEach) & ~word & kHigh);
    }

    /// Goes to the next stop. The high bits of the result say whether others than ASCII were there.
    std::uint64_t skipPlain()
    {
        const char *at = m_at;
        std::uint64_t seen = 0;
        for (; m_end - at >= 16; at += 16) { // most texts end here
            const std::uint64_t low = eightAt(at), high = eightAt(at + 8);
            const std::uint64_t lowStop = firstStop(low), highStop = firstStop(high);
            if ((lowStop | highStop) != 0) {
                const std::uint64_t stop = lowStop != 0 ? lowStop : highStop;
                m_at = at + (lowStop != 0 ? 0 : 8) + std::countr_zero(stop) / 8;
                const std::uint64_t before = (stop ^ (stop - 1)) >> 8; // bytes before the stop
                return seen | (lowStop != 0 ? low & before : low | (high & before));
            }
            seen |= low | high;
        }
        for (; at < m_end; ++at) {
            const auto byte = static_cast<unsigned char>(*at);
            if (byte == '"' || byte == '\\' || byte < 0x20)
                break;
            seen |= byte;
        }
        m_at = at;
        return seen;
    }
    bool readEscaped(const char *quote, std::string_view &text);
    std::size_t skipDigits();

    const char *m_begin, *m_at, *m_end;
    std::deque<std::string> &m_unescaped;
};

} // namespace fireside
