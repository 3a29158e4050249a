#pragma once
#include <QString>

namespace fireside {

/// Letter shapes that mean something in mathematics.
enum class Alphabet : quint8 {
    Default, // letters italic, digits and capital Greek upright
    Upright,
    Bold,
    Italic,
    BoldItalic,
    Script,
    BoldScript,
    Fraktur,
    BoldFraktur,
    DoubleStruck,
    Sans,
    BoldSans,
    Monospace,
};

/// The character of Unicode's Mathematical Alphanumeric Symbols for a letter or digit; any other
/// character is returned as it is.
char32_t inAlphabet(char32_t character, Alphabet alphabet);

} // namespace fireside
