// Readers of grammars. The first part of an input is the grammar, the second a text.
#include "tests/fuzz/constrain_targets.h"

#include "engine/constrain/gbnf_reader.h"
#include "engine/constrain/machine.h"
#include "engine/constrain/regex_reader.h"
#include "engine/constrain/schema_reader.h"

namespace fireside::fuzz {
namespace {

using namespace constrain;

// Enough for a minute of trying to see many inputs, not a few that use up the usual limit.
constexpr GrammarLimits kLimits{.steps = 100'000};

/// Reads the text, or where it does not go on, the only byte that there is or any that fits.
void readWith(const Grammar &grammar, std::string_view text)
{
    constexpr std::size_t kMost = 200;
    const Automaton automaton(grammar);
    Machine machine(automaton);
    Machine::ConfigId at = machine.start();
    check(at != Machine::kDead);
    for (std::size_t i = 0; i < std::min(text.size(), kMost) && machine.canRead(at); ++i) {
        Machine::ConfigId next = machine.step(at, static_cast<std::uint8_t>(text[i]));
        const int only = machine.onlyByte(at);
        check(only < 0 || next == Machine::kDead || only == static_cast<std::uint8_t>(text[i]));
        for (int byte = 0; next == Machine::kDead && byte < 256; ++byte)
            next = machine.step(at, static_cast<std::uint8_t>(byte));
        if (next == Machine::kDead)
            break; // deeper than the limit
        at = next;
        check(machine.canRead(at) || machine.hasEnded(at));
    }
}

} // namespace

void regex(Bytes input)
{
    const auto part = parts(input, 2);
    attempt([&] { readRegex(part[0], RegexMatch::Search, kLimits); });
    attempt([&] { readWith(readRegexGrammar(part[0], kLimits), part[1]); });
}

void gbnf(Bytes input)
{
    const auto part = parts(input, 2);
    attempt([&] { readWith(readGbnf(part[0]), part[1]); });
}

void schema(Bytes input)
{
    const auto part = parts(input, 2);
    attempt([&] { readWith(readJsonSchema(part[0]), part[1]); });
    attempt(
        [&] { readWith(readJsonSchema(part[0], {.anyOrder = false, .lenient = true}), part[1]); });
}

} // namespace fireside::fuzz
