#include "tests/conformance/draw.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace fireside::conformance {
namespace {

constexpr int kOpen = -1;       // an option without a value yet
constexpr int kCandidates = 12; // of which the one that meets most new pairs becomes a case

} // namespace

std::string valueText(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

std::string Pick::text() const
{
    return of->text(*this);
}

std::string Pick::types() const
{
    return of->types(*this);
}

/// The pairs that a set of cases has yet to meet, and cases that meet them.
class Cases::Cover
{
public:
    Cover(const Cases &cases, std::mt19937 &random)
        : m_cases(cases)
        , m_random(random)
    {
        const std::size_t count = cases.m_options.size();
        for (std::size_t a = 0; a < count; ++a) {
            m_first.push_back(m_width);
            m_width += cases.m_options[a].texts.size();
        }
        m_open.resize(m_width * m_width);
        m_alone.resize(m_width, true);
        for (std::size_t a = 0; a < count; ++a)
            for (int x = 0; x < sizeOf(a); ++x) {
                std::vector<int> one(count, kOpen);
                one[a] = x;
                if (!cases.canBeCompleted(one))
                    throw std::logic_error(cases.m_name + ": " + cases.m_options[a].name + " " +
                                           cases.m_options[a].texts[static_cast<std::size_t>(x)] +
                                           " goes with nothing");
                for (std::size_t b = a + 1; b < count; ++b)
                    for (int y = 0; y < sizeOf(b); ++y) {
                        std::vector<int> two(count, kOpen);
                        two[a] = x;
                        two[b] = y;
                        if (cases.canBeCompleted(two))
                            m_open[at(a, x, b, y)] = true;
                    }
            }
    }

    bool done() const
    {
        return std::find(m_open.begin(), m_open.end(), true) == m_open.end() &&
               std::find(m_alone.begin(), m_alone.end(), true) == m_alone.end();
    }
    bool isOpen(std::size_t a, int x, std::size_t b, int y) const { return m_open[at(a, x, b, y)]; }

    std::vector<int> next()
    {
        std::vector<int> best;
        int most = -1;
        for (int i = 0; i < kCandidates; ++i) {
            std::vector<int> values = candidate();
            int met = 0;
            for (std::size_t a = 0; a < values.size(); ++a)
                met += gain(values, a, values[a], a);
            if (met > most) {
                most = met;
                best = std::move(values);
            }
        }
        for (std::size_t a = 0; a < best.size(); ++a) {
            m_alone[m_first[a] + static_cast<std::size_t>(best[a])] = false;
            for (std::size_t b = a + 1; b < best.size(); ++b)
                m_open[at(a, best[a], b, best[b])] = false;
        }
        return best;
    }

private:
    int sizeOf(std::size_t option) const
    {
        return static_cast<int>(m_cases.m_options[option].texts.size());
    }
    std::size_t at(std::size_t a, int x, std::size_t b, int y) const
    {
        if (a > b)
            return at(b, y, a, x);
        return (m_first[a] + static_cast<std::size_t>(x)) * m_width + m_first[b] +
               static_cast<std::size_t>(y);
    }
    /// New pairs of value x of option a with the options before `end`; a value that no case has had
    /// counts for as much as many pairs, one of the option that comes first for more than all else.
    int gain(const std::vector<int> &values, std::size_t a, int x, std::size_t end) const
    {
        int met = !isAlone(a, x) ? 0 : m_cases.m_comesFirst == a ? 100'000 : 100;
        for (std::size_t b = 0; b < end; ++b)
            if (b != a && values[b] != kOpen && m_open[at(a, x, b, values[b])])
                ++met;
        return met;
    }

    std::vector<int> candidate()
    {
        const std::size_t count = m_cases.m_options.size();
        std::vector<int> values = start();
        std::vector<std::size_t> order;
        for (std::size_t a = 0; a < count; ++a)
            if (values[a] == kOpen)
                order.push_back(a);
        std::shuffle(order.begin(), order.end(), m_random);
        for (const std::size_t a : order) {
            std::vector<std::pair<int, int>> choices; // what they gain, values
            for (int x = 0; x < sizeOf(a); ++x)
                choices.emplace_back(gain(values, a, x, count), x);
            std::shuffle(choices.begin(), choices.end(), m_random);
            std::stable_sort(choices.begin(), choices.end(),
                             [](const auto &p, const auto &q) { return p.first > q.first; });
            for (const auto &choice : choices) {
                values[a] = choice.second;
                std::vector<int> rest = values;
                if (m_cases.canBeCompleted(rest))
                    break;
            }
        }
        return values;
    }

    bool isAlone(std::size_t a, int x) const
    {
        return m_alone[m_first[a] + static_cast<std::size_t>(x)];
    }

    /// Some pair that is still open, or a value if it is alone, of the option that comes first if
    /// there is one.
    std::vector<int> start()
    {
        const std::size_t count = m_cases.m_options.size();
        std::vector<std::vector<int>> starts;
        int highest = 0; // of starts: a pair, a value alone, one of the option that comes first
        const auto add = [&](std::vector<int> values, int rank) {
            if (rank > highest)
                starts.clear();
            highest = std::max(highest, rank);
            if (rank == highest)
                starts.push_back(std::move(values));
        };
        for (std::size_t a = 0; a < count; ++a)
            for (int x = 0; x < sizeOf(a); ++x) {
                std::vector<int> values(count, kOpen);
                values[a] = x;
                if (isAlone(a, x))
                    add(values, m_cases.m_comesFirst == a ? 2 : 1);
                for (std::size_t b = a + 1; b < count; ++b)
                    for (int y = 0; y < sizeOf(b); ++y)
                        if (m_open[at(a, x, b, y)]) {
                            values[b] = y;
                            add(values, 0);
                            values[b] = kOpen;
                        }
            }
        return starts[m_random() % starts.size()];
    }

    const Cases &m_cases;
    std::mt19937 &m_random;
    std::vector<std::size_t> m_first; // number of each option's first value among all
    std::size_t m_width = 0;
    std::vector<bool> m_open, m_alone; // pairs, values
};

Cases::Cases(std::string op, const std::string &set)
    : m_op(std::move(op))
    , m_name(set.empty() ? m_op : m_op + ", " + set)
{}

void Cases::add(Any option)
{
    if (option.texts.empty())
        throw std::logic_error(m_name + ": " + option.name + " has no values");
    m_options.push_back(std::move(option));
}

bool Cases::allowed(const std::vector<int> &values) const
{
    return std::none_of(m_rules.begin(), m_rules.end(), [&](const Rule &rule) {
        return std::none_of(rule.options.begin(), rule.options.end(),
                            [&](std::size_t option) { return values[option] == kOpen; }) &&
               rule.excluded(values);
    });
}

bool Cases::canBeCompleted(std::vector<int> &values) const
{
    if (!allowed(values))
        return false;
    // Only options that rules speak of can stand in the way.
    for (const Rule &rule : m_rules)
        for (const std::size_t option : rule.options) {
            if (values[option] != kOpen)
                continue;
            const auto count = static_cast<int>(m_options[option].texts.size());
            for (values[option] = 0; values[option] < count; ++values[option])
                if (std::vector<int> rest = values; canBeCompleted(rest)) {
                    values = std::move(rest);
                    return true;
                }
            values[option] = kOpen;
            return false;
        }
    return true;
}

std::vector<Pick> Cases::allPairs(std::mt19937 &random) const
{
    std::vector<Pick> picks;
    Cover cover(*this, random);
    while (!cover.done())
        picks.push_back({this, cover.next()});
    return picks;
}

std::string Cases::pairText(std::size_t a, int x, std::size_t b, int y) const
{
    return m_options[a].name + " " + m_options[a].texts[static_cast<std::size_t>(x)] + " × " +
           m_options[b].name + " " + m_options[b].texts[static_cast<std::size_t>(y)];
}

std::vector<std::string> Cases::pairs() const
{
    std::mt19937 unused;
    const Cover cover(*this, unused);
    std::vector<std::string> texts;
    for (std::size_t a = 0; a < m_options.size(); ++a)
        for (std::size_t b = a + 1; b < m_options.size(); ++b)
            for (int x = 0; x < static_cast<int>(m_options[a].texts.size()); ++x)
                for (int y = 0; y < static_cast<int>(m_options[b].texts.size()); ++y)
                    if (cover.isOpen(a, x, b, y))
                        texts.push_back(pairText(a, x, b, y));
    return texts;
}

std::vector<std::string> Cases::pairsOf(const Pick &pick) const
{
    std::vector<std::string> texts;
    for (std::size_t a = 0; a < m_options.size(); ++a)
        for (std::size_t b = a + 1; b < m_options.size(); ++b)
            texts.push_back(pairText(a, pick.values[a], b, pick.values[b]));
    return texts;
}

std::string Cases::text(const Pick &pick) const
{
    std::string text;
    for (std::size_t a = 0; a < m_options.size(); ++a)
        text += (a > 0 ? ", " : "") + m_options[a].name + " " +
                m_options[a].texts[static_cast<std::size_t>(pick.values[a])];
    return text;
}

std::string Cases::types(const Pick &pick) const
{
    std::string text;
    for (std::size_t a = 0; a < m_options.size(); ++a)
        if (m_options[a].isType)
            text += (text.empty() ? "" : "→") +
                    m_options[a].texts[static_cast<std::size_t>(pick.values[a])];
    return text;
}

} // namespace fireside::conformance
