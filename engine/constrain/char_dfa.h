#pragma once
#include "engine/constrain/char_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fireside::constrain {

struct GrammarLimits;

/// A deterministic automaton over characters. From every state an accepting one can be reached; no
/// states: it accepts nothing. Operations throw Error(BadInput) beyond the limit of nodes.
class CharDfa
{
public:
    struct Edge
    {
        char32_t low = 0, high = 0;
        std::uint32_t target = 0;
    };
    struct State
    {
        std::vector<Edge> edges{}; // in rising order, apart from each other
        bool accepts = false;
    };

    CharDfa() = default;
    /// The first state is where it starts. What leads nowhere is dropped.
    explicit CharDfa(std::vector<State> states);

    static CharDfa anything();
    /// Texts of min to max characters.
    static CharDfa ofLength(std::uint32_t min, std::uint32_t max, const GrammarLimits &limits);
    static CharDfa ofTexts(const std::vector<std::string> &texts); // UTF-8
    /// Digits, after a minus or without, of numbers that `divisor` divides; zeros may lead.
    static CharDfa multiplesOf(std::uint32_t divisor);

    CharDfa both(const CharDfa &other, const GrammarLimits &limits) const;
    CharDfa either(const CharDfa &other, const GrammarLimits &limits) const;
    CharDfa complement() const;
    CharDfa without(const CharDfa &other, const GrammarLimits &limits) const;

    bool isEmpty() const { return m_states.empty(); }
    bool accepts(std::string_view text) const; // UTF-8
    const std::vector<State> &states() const { return m_states; }

private:
    void trim();
    std::vector<State> m_states;
};

} // namespace fireside::constrain
