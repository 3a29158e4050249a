#include "engine/constrain/schema/decimal.h"

#include "engine/constrain/regex_reader.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostWhole = 15; // digits, unless a bound has more
constexpr int kLargestExponent = 40;

std::string joined(const std::vector<std::string> &choices)
{
    std::string all;
    for (const std::string &choice : choices)
        all += (all.empty() ? "(?:" : "|") + choice;
    return all.empty() ? all : all + ")";
}

std::string digits(std::size_t low, std::size_t high)
{
    return "[0-9]{" + std::to_string(low) + "," + std::to_string(high) + "}";
}

std::string between(char low, char high)
{
    return std::string("[") + low + "-" + high + "]";
}

/// The sizes (numbers without sign) from or up to a bound.
class Sizes
{
public:
    /// fractions: most digits of a fraction
    Sizes(const NumberBounds::Bound &bound, std::size_t fractions, std::size_t wholes)
        : m_whole(bound.value.whole)
        , m_fraction(bound.value.fraction)
        , m_strict(bound.strict)
        , m_fractions(fractions)
        , m_wholes(wholes)
    {}

    std::vector<std::string> from() const
    {
        std::vector<std::string> out;
        if (m_whole.size() < m_wholes)
            out.push_back("[1-9]" + digits(m_whole.size(), m_wholes - 1) + anyFraction());
        for (std::size_t i = 0; i < m_whole.size(); ++i)
            if (m_whole[i] < '9')
                out.push_back(
                    m_whole.substr(0, i) + between(static_cast<char>(m_whole[i] + 1), '9') +
                    digits(m_whole.size() - i - 1, m_whole.size() - i - 1) + anyFraction());
        // The same whole part: the fraction decides.
        if (m_fraction.empty() && !m_strict)
            out.push_back(m_whole + anyFraction());
        else if (m_fraction.empty() && m_fractions > 0)
            out.push_back(m_whole + someFraction());
        if (m_fraction.empty() || m_fractions == 0)
            return out;
        const std::string dot = m_whole + "\\.";
        for (std::size_t i = 0; i < m_fraction.size(); ++i)
            if (m_fraction[i] < '9')
                out.push_back(dot + m_fraction.substr(0, i) +
                              between(static_cast<char>(m_fraction[i] + 1), '9') +
                              digits(0, m_fractions - i - 1));
        const std::size_t left = m_fractions - m_fraction.size();
        if (!m_strict)
            out.push_back(dot + m_fraction + digits(0, left));
        else if (left > 0)
            out.push_back(dot + m_fraction + notOnlyZeros(left));
        return out;
    }

    std::vector<std::string> upTo() const
    {
        std::vector<std::string> out;
        if (m_whole.size() > 1)
            out.push_back("(?:0|[1-9]" + digits(0, m_whole.size() - 2) + ")" + anyFraction());
        for (std::size_t i = 0; i < m_whole.size(); ++i) {
            const char first = i == 0 && m_whole.size() > 1 ? '1' : '0';
            if (m_whole[i] > first)
                out.push_back(
                    m_whole.substr(0, i) + between(first, static_cast<char>(m_whole[i] - 1)) +
                    digits(m_whole.size() - i - 1, m_whole.size() - i - 1) + anyFraction());
        }
        if (m_fraction.empty()) {
            if (!m_strict)
                out.push_back(m_whole +
                              (m_fractions > 0 ? "(?:\\.0" + zeros(m_fractions - 1) + ")?" : ""));
            return out;
        }
        out.push_back(m_whole); // and no fraction at all
        if (m_fractions == 0)
            return out;
        const std::string dot = m_whole + "\\.";
        for (std::size_t i = 0; i < m_fraction.size(); ++i) {
            if (m_fraction[i] > '0')
                out.push_back(dot + m_fraction.substr(0, i) +
                              between('0', static_cast<char>(m_fraction[i] - 1)) +
                              digits(0, m_fractions - i - 1));
            if (i > 0) // ends before the bound's digits do, which are not all zeros
                out.push_back(dot + m_fraction.substr(0, i));
        }
        if (!m_strict)
            out.push_back(dot + m_fraction + zeros(m_fractions - m_fraction.size()));
        return out;
    }

private:
    static std::string zeros(std::size_t most) { return "0{0," + std::to_string(most) + "}"; }
    static std::string notOnlyZeros(std::size_t most)
    {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < most; ++i)
            out.push_back("0{" + std::to_string(i) + "}[1-9]" + digits(0, most - i - 1));
        return joined(out);
    }
    std::string anyFraction() const
    {
        return m_fractions > 0 ? "(?:\\." + digits(1, m_fractions) + ")?" : "";
    }
    std::string someFraction() const { return "\\." + notOnlyZeros(m_fractions); }

    std::string m_whole, m_fraction;
    bool m_strict;
    std::size_t m_fractions, m_wholes;
};

} // namespace

std::optional<Decimal> Decimal::parse(std::string_view text)
{
    Decimal out;
    out.negative = text.starts_with('-');
    text.remove_prefix(out.negative);
    int exponent = 0;
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        std::string_view sign = text.substr(e + 1);
        if (sign.starts_with('+'))
            sign.remove_prefix(1);
        const auto [end, error] = std::from_chars(sign.data(), sign.data() + sign.size(), exponent);
        if (error != std::errc{} || std::abs(exponent) > kLargestExponent)
            return std::nullopt;
        text = text.substr(0, e);
    }
    const std::size_t dot = std::min(text.find('.'), text.size());
    std::string all(text.substr(0, dot));
    if (dot < text.size())
        all += text.substr(dot + 1);
    long point = static_cast<long>(dot) + exponent;
    if (point <= 0) {
        all.insert(0, static_cast<std::size_t>(1 - point), '0');
        point = 1;
    }
    if (static_cast<std::size_t>(point) > all.size())
        all.append(static_cast<std::size_t>(point) - all.size(), '0');
    out.whole = all.substr(0, static_cast<std::size_t>(point));
    out.fraction = all.substr(static_cast<std::size_t>(point));
    out.whole.erase(0, std::min(out.whole.find_first_not_of('0'), out.whole.size() - 1));
    out.fraction.erase(out.fraction.find_last_not_of('0') + 1);
    out.negative = out.negative && !out.isZero();
    return out;
}

int compare(const Decimal &a, const Decimal &b)
{
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    int order = a.whole.size() != b.whole.size() ? (a.whole.size() < b.whole.size() ? -1 : 1)
                                                 : a.whole.compare(b.whole);
    if (order == 0)
        order = a.fraction.compare(b.fraction);
    return a.negative ? -order : order;
}

CharDfa numbersWithin(const NumberBounds &bounds, const GrammarLimits &limits)
{
    using Bound = NumberBounds::Bound;
    const auto &low = bounds.low, &high = bounds.high;
    std::size_t longest = 1, fractions = 0;
    for (const auto &bound : {low, high})
        if (bound) {
            longest = std::max(longest, bound->value.whole.size());
            fractions = std::max(fractions, bound->value.fraction.size());
        }
    // With more digits doubles would round to the bounds themselves.
    fractions = bounds.whole ? 0 : std::max(fractions, longest < 14 ? 15 - longest : 1);
    const auto dfa = [&](const char *sign, const std::vector<std::string> &choices) {
        return choices.empty() ? CharDfa()
                               : readRegex(sign + joined(choices), RegexMatch::Whole, limits);
    };
    const auto sized = [&](const Bound &bound) {
        return Sizes(bound, fractions, std::max(kMostWhole, longest));
    };
    const auto within = [&](const char *sign, const Bound &from, const std::optional<Bound> &upTo) {
        const CharDfa above = dfa(sign, sized(from).from());
        return upTo ? above.both(dfa(sign, sized(*upTo).upTo()), limits) : above;
    };
    std::vector<CharDfa> parts;
    if (!high || !high->value.negative)
        parts.push_back(within("", low && !low->value.negative ? *low : Bound{}, high));
    if (!low || low->value.negative) // −0 is not written
        parts.push_back(within("-", high && high->value.negative ? *high : Bound{{}, true}, low));
    CharDfa all;
    for (const CharDfa &part : parts)
        all = all.either(part, limits);
    return all;
}

} // namespace fireside::constrain
