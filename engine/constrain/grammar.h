#pragma once
#include "engine/constrain/char_dfa.h"
#include "engine/constrain/char_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fireside::constrain {

using ExprId = std::uint32_t;
using RuleId = std::uint32_t;
inline constexpr std::uint32_t kUnlimited = 0xFFFFFFFF;

/// What grammars of strangers may ask for. More is Error(BadInput) that names the limit.
struct GrammarLimits
{
    std::size_t sourceBytes = std::size_t{1} << 20;
    std::size_t exprs = 200'000;   // of a grammar
    std::size_t nodes = 50'000;    // of an automaton
    std::size_t states = 10'000;   // of an automaton over characters, as patterns are
    std::size_t steps = 4'000'000; // of making automata: what replaces a clock
    std::size_t threads = 2'000;   // ways that one text can be read at once
    std::uint32_t repeats = 1'000'000;
    int nesting = 100; // of brackets and schemas
    int depth = 1'000; // of calls while a text is read
};

enum class ExprKind : std::uint8_t {
    Text,     // these bytes
    Chars,    // one character of a set
    Sequence, // the parts, one after the other; none: the empty text
    Choice,   // one of the parts; none: nothing can follow
    Repeat,   // the part, min to max times
    Rule,     // what the rule says
    Group,    // see Group
    Dfa       // what the automaton for characters accepts
};

/// How the characters of an automaton stand in the text.
enum class CharEncoding : std::uint8_t {
    Plain,      // UTF-8
    JsonString, // as inside of a JSON text: quotes, backslashes and control characters escaped
};

/// Items in any order or in the listed one, with a separator between them, each at most once if it
/// is not repeatable; those that are come last. The items must differ before any two could end.
struct Group
{
    struct Item
    {
        ExprId expr = 0;
        bool required = false;
        bool repeatable = false;
    };
    std::vector<Item> items{}; // kMostItems at most
    ExprId separator = 0;
    bool anyOrder = true;
    std::uint32_t min = 0, max = kUnlimited; // items in all
};
inline constexpr std::size_t kMostItems = 256;

struct Expr
{
    ExprKind kind = ExprKind::Sequence;
    CharEncoding encoding = CharEncoding::Plain;
    std::uint32_t min = 0, max = 0; // Repeat
    std::uint32_t target = 0;       // of Rule, Group, Dfa
    std::string text{};
    CharSet chars{};
    std::vector<ExprId> parts{};
};

struct Rule
{
    std::string name; // for errors
    std::optional<ExprId> expr{};
    /// Never copied to where it is called, so that all places share what is known of it.
    bool shared = false;
};

/// A context-free grammar over bytes, as data: readers write it, an Automaton is made of it. Rules
/// may call themselves, but not before they have read something.
class Grammar
{
public:
    explicit Grammar(const GrammarLimits &limits = {})
        : m_limits(limits)
    {}

    ExprId text(std::string bytes);
    ExprId chars(CharSet set);
    ExprId sequence(std::vector<ExprId> parts);
    ExprId choice(std::vector<ExprId> parts);
    ExprId repeat(ExprId part, std::uint32_t min, std::uint32_t max = kUnlimited);
    ExprId optional(ExprId part) { return repeat(part, 0, 1); }
    ExprId empty() { return sequence({}); }
    ExprId nothing() { return choice({}); }
    ExprId call(RuleId rule);
    ExprId group(Group group);
    ExprId dfa(CharDfa dfa, CharEncoding encoding);

    /// All of another grammar, as a part of this one; its notes are added.
    ExprId embed(const Grammar &other);

    RuleId addRule(std::string name, bool shared = false);
    void define(RuleId rule, ExprId expr) { m_rules[rule].expr = expr; }
    void setRoot(RuleId rule) { m_root = rule; }

    const Expr &expr(ExprId id) const { return m_exprs[id]; }
    const Group &groupOf(const Expr &expr) const { return m_groups[expr.target]; }
    const CharDfa &dfaOf(const Expr &expr) const { return m_dfas[expr.target]; }
    const std::vector<Rule> &rules() const { return m_rules; }
    std::size_t size() const { return m_exprs.size(); }
    RuleId root() const { return m_root; }
    const GrammarLimits &limits() const { return m_limits; }
    /// What the grammar takes another way than its source says, for a person to read.
    std::vector<std::string> notes{};

    /// For each expression whether any text fulfils it.
    std::vector<bool> fulfillable() const;

private:
    ExprId add(Expr expr);
    bool isFulfillable(const Expr &expr, const std::vector<bool> &known) const;

    GrammarLimits m_limits;
    std::vector<Expr> m_exprs;
    std::vector<Group> m_groups;
    std::vector<CharDfa> m_dfas;
    std::vector<Rule> m_rules;
    RuleId m_root = 0;
};

} // namespace fireside::constrain
