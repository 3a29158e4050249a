#pragma once
#include "engine/constrain/grammar.h"

#include <bitset>
#include <map>
#include <unordered_map>
#include <vector>

namespace fireside::constrain {

/// The bodies of a grammar as nondeterministic automata over bytes and calls, in one list of
/// states. Small rules that call nothing back are copied to where they are called, repetitions
/// written out; the others become calls.
class Nfa
{
public:
    using StateId = std::uint32_t;
    struct ByteEdge
    {
        ByteRange bytes;
        StateId target;
    };
    struct CallEdge
    {
        std::uint32_t call;
        StateId target;
    };
    struct State
    {
        std::vector<StateId> free{};
        std::vector<ByteEdge> bytes{};
        std::vector<CallEdge> calls{};
        std::int32_t item = -1; // ≥ 0: the body may end here
    };
    struct Body
    {
        StateId start = 0;
        bool grouped = false;
        std::string name{}; // of the rule it is of
    };
    struct Call
    {
        ExprId expr = 0;   // Repeat or Group
        bool rule = false; // else
        std::uint32_t body = 0, separator = 0;
    };

    explicit Nfa(const Grammar &grammar);

    const std::vector<State> &states() const { return m_states; }
    const std::vector<Body> &bodies() const { return m_bodies; } // the first is the root's
    const std::vector<Call> &calls() const { return m_calls; }
    bool isFulfillable(ExprId id) const { return m_fulfillable[id]; }

private:
    void orderRules();
    void measure(RuleId rule);
    std::size_t sizeOf(ExprId id) const;
    bool isCounted(const Expr &expr) const;
    bool isCopied(RuleId rule) const { return m_copied[rule]; }

    StateId state();
    std::uint32_t addBody(bool grouped, std::string name);
    std::uint32_t callOfRule(RuleId rule);
    std::uint32_t callOf(ExprId id);
    void build(ExprId id, StateId from, StateId to);
    void buildRepeat(const Expr &expr, StateId from, StateId to);
    void buildDfa(const Expr &expr, StateId from, StateId to);
    void buildRun(const std::vector<ByteRange> &run, StateId from, StateId to);
    void buildChars(const CharSet &set, StateId from, StateId to);
    void buildEscapes(const CharSet &set, StateId from, StateId to);
    void buildText(std::string_view bytes, StateId from, StateId to);

    const Grammar &m_grammar;
    std::vector<bool> m_fulfillable;
    std::vector<RuleId> m_order;      // callees before callers
    std::vector<bool> m_copied;       // by rule
    std::vector<std::size_t> m_sizes; // of expressions, in states
    std::vector<State> m_states;
    std::vector<Body> m_bodies;
    std::vector<Call> m_calls;
    std::map<RuleId, std::uint32_t> m_ruleCalls;
    std::map<ExprId, std::uint32_t> m_exprCalls;
    std::vector<std::pair<std::uint32_t, ExprId>> m_open; // bodies to be built
    std::unordered_map<std::uint64_t, StateId> m_suffixes;
    std::string m_name; // of the rule being built
};

} // namespace fireside::constrain
