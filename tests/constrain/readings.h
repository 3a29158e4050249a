#pragma once
#include "engine/constrain/constraint.h"
#include "engine/constrain/gbnf_reader.h"
#include "engine/constrain/machine.h"
#include "engine/constrain/regex_reader.h"

#include <string>
#include <string_view>

namespace fireside::test {

/// Whether a grammar's automaton reads all of the text and may end there.
inline bool reads(const constrain::Grammar &grammar, std::string_view text)
{
    const constrain::Automaton automaton(grammar);
    constrain::Machine machine(automaton);
    return machine.hasEnded(machine.read(machine.start(), text));
}

} // namespace fireside::test
