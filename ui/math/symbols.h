#pragma once
#include "ui/math/formula.h"

namespace fireside {

/// A command that stands for one character.
struct MathSymbol
{
    const char *name; // without its backslash
    char32_t character;
    MathClass cls = MathClass::Ord;
    MathLimits limits = MathLimits::Beside;
    bool large = false; // a larger form in display style
};

/// Null: no symbol has this name.
const MathSymbol *mathSymbol(QStringView name);
/// What a character means that is typed as itself.
MathClass classOf(char32_t character);
/// The character of a delimiter after \left or \big: '.' for none, 0 when it is none.
char32_t delimiterCharacter(QStringView token);

QStringList mathSymbolNames();

} // namespace fireside
