#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireside::jinja {

struct NumberLiteral
{
    std::size_t length = 0; // bytes used of the source
    bool isFloat = false;
    bool tooLarge = false;
    std::int64_t integer = 0;
    double value = 0;
};

/// The number at the start of `source` (which starts with a digit): decimal, 0x, 0o, 0b,
/// 1_000, 1.5e3.
NumberLiteral readNumber(std::string_view source, bool allowFloat);

/// Python's string escapes; false when one is malformed.
bool decodeEscapes(std::string_view body, std::string &out);

/// int(text, base) and float(text) of Python: spaces around, a sign and underscores are allowed.
std::optional<std::int64_t> parseInteger(std::string_view text, int base);
std::optional<double> parseFloat(std::string_view text);

/// repr(float) of Python: shortest text that reads back, 1e+16 and smaller than 1e-4 in exponent
/// form.
std::string floatText(double value);

} // namespace fireside::jinja
