#include "engine/text/jinja/values/literals.h"

#include "engine/text/jinja/values/text_tools.h"

#include <charconv>
#include <cmath>

namespace fireside::jinja {

namespace {

int digitValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/// Digits and single underscores between them, from `at`; gives the offset after them.
std::size_t skipDigits(std::string_view text, std::size_t at, int base, std::string &digits)
{
    while (at < text.size()) {
        const bool separated = text[at] == '_' && !digits.empty() && at + 1 < text.size() &&
                               digitValue(text[at + 1]) < base;
        const std::size_t digit = separated ? at + 1 : at;
        if (digitValue(text[digit]) >= base)
            break;
        digits += text[digit];
        at = digit + 1;
    }
    return at;
}

int prefixBase(std::string_view text)
{
    if (text.size() < 3 || text[0] != '0')
        return 10;
    const char c = static_cast<char>(text[1] | 0x20);
    const int base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
    return base != 10 && digitValue(text[2]) < base ? base : 10;
}

bool toInteger(const std::string &digits, int base, std::int64_t &out)
{
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
    return error == std::errc() && end == digits.data() + digits.size();
}

} // namespace

NumberLiteral readNumber(std::string_view source, bool allowFloat)
{
    NumberLiteral result;
    const int base = prefixBase(source);
    std::string digits;
    std::size_t at = skipDigits(source, base == 10 ? 0 : 2, base, digits);
    if (base == 10 && allowFloat) {
        std::string decimal = digits, part;
        std::size_t end = at;
        if (end + 1 < source.size() && source[end] == '.' && digitValue(source[end + 1]) < 10) {
            end = skipDigits(source, end + 1, 10, part);
            decimal += '.' + part;
            result.isFloat = true;
        }
        if (end < source.size() && (source[end] == 'e' || source[end] == 'E')) {
            std::size_t exponent = end + 1;
            std::string sign;
            if (exponent < source.size() && (source[exponent] == '+' || source[exponent] == '-'))
                sign = source[exponent++];
            part.clear();
            exponent = skipDigits(source, exponent, 10, part);
            if (!part.empty()) {
                decimal += 'e' + sign + part;
                end = exponent;
                result.isFloat = true;
            }
        }
        if (result.isFloat) {
            result.length = end;
            result.value = parseFloat(decimal).value_or(0.0);
            return result;
        }
    }
    result.length = at;
    result.tooLarge = !toInteger(digits, base, result.integer);
    return result;
}

bool decodeEscapes(std::string_view body, std::string &out)
{
    const auto readHex = [&](std::size_t at, std::size_t count, std::uint32_t &value) {
        if (at + count > body.size())
            return false;
        const auto [end, error] =
            std::from_chars(body.data() + at, body.data() + at + count, value, 16);
        return error == std::errc() && end == body.data() + at + count;
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '\\' || i + 1 >= body.size()) {
            out += body[i];
            continue;
        }
        const char c = body[++i];
        static constexpr std::string_view From = "nrtabfv\\'\"";
        static constexpr std::string_view To = "\n\r\t\a\b\f\v\\'\"";
        if (const std::size_t known = From.find(c); known != std::string_view::npos) {
            out += To[known];
        } else if (c == '\n') {
            continue; // a line continued inside the string
        } else if (c >= '0' && c <= '7') {
            std::uint32_t value = 0;
            std::size_t used = 0;
            for (; used < 3 && i + used < body.size() && digitValue(body[i + used]) < 8; ++used)
                value = value * 8 + static_cast<std::uint32_t>(body[i + used] - '0');
            i += used - 1;
            appendUtf8(out, value);
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
            std::uint32_t value = 0, low = 0;
            if (!readHex(i + 1, count, value) || value > 0x10FFFF)
                return false;
            i += count;
            const bool pair = value >= 0xD800 && value < 0xDC00 && body.substr(i + 1, 2) == "\\u" &&
                              readHex(i + 3, 4, low) && low >= 0xDC00 && low < 0xE000;
            if (pair) {
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
                i += 6;
            }
            appendUtf8(out, value);
        } else {
            out += '\\';
            out += c;
        }
    }
    return true;
}

std::optional<std::int64_t> parseInteger(std::string_view text, int base)
{
    const auto range = stripSpace(text, true, true);
    text = text.substr(range.begin, range.end - range.begin);
    std::string digits;
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (base == 0 || base == prefixBase(text)) {
        base = prefixBase(text);
        if (base != 10)
            text.remove_prefix(2);
    }
    if (base < 2 || base > 36)
        return {};
    const std::size_t end = skipDigits(text, 0, base, digits);
    if (digits.empty() || end != text.size())
        return {};
    std::int64_t value = 0;
    if (!toInteger((negative ? "-" : "") + digits, base, value))
        return {};
    return value;
}

std::optional<double> parseFloat(std::string_view text)
{
    const auto range = stripSpace(text, true, true);
    std::string clean;
    for (const char c : text.substr(range.begin, range.end - range.begin)) {
        if (c != '_')
            clean += c;
    }
    const char *begin = clean.data();
    if (!clean.empty() && clean[0] == '+' && clean.size() > 1 && clean[1] != '-')
        ++begin;
    double value = 0;
    const auto [end, error] = std::from_chars(begin, clean.data() + clean.size(), value);
    if (end != clean.data() + clean.size() || begin == end)
        return {};
    if (error == std::errc::result_out_of_range) {
        // Too large or too small: Python gives inf or 0. Large ones have a positive exponent.
        const std::size_t e = clean.find_first_of("eE");
        const bool tiny = e == std::string::npos ? clean.find("0.") != std::string::npos
                                                 : e + 1 < clean.size() && clean[e + 1] == '-';
        value = tiny ? 0.0 : HUGE_VAL;
        return clean[0] == '-' ? -value : value;
    }
    return value;
}

std::string floatText(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const double size = std::fabs(value);
    const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value,
                      exponent ? std::chars_format::scientific : std::chars_format::fixed);
    std::string text(buffer, end.ptr);
    if (!exponent && text.find('.') == std::string::npos)
        text += ".0";
    return text;
}

} // namespace fireside::jinja
