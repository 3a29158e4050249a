#include "engine/text/jinja/values/format.h"

#include "engine/core/quote.h"

#include "engine/text/jinja/values/literals.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"
#include "engine/text/jinja/values/string_ops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

struct Spec
{
    std::string fill = " ";
    char align = 0;  // < > = ^
    char sign = '-'; // + - or space
    bool alternate = false;
    bool comma = false;
    std::int64_t width = 0;
    int precision = -1;
    char type = 0;
};

/// Digits at text[at…]; advances at. Numbers beyond the output limit are refused by the padding.
std::int64_t readNumberAt(std::string_view text, std::size_t &at)
{
    std::int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        value = std::min<std::int64_t>(value * 10 + (text[at] - '0'), 1'000'000'000);
    return value;
}

int readPrecision(std::string_view text, std::size_t &at)
{
    const std::int64_t value = readNumberAt(text, at);
    if (value > 100)
        throw TemplateError("a format precision above 100 is not supported");
    return static_cast<int>(value);
}

std::string unsignedText(std::uint64_t value, int base)
{
    std::array<char, 70> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
    return std::string(buffer.data(), end);
}

void insertCommas(std::string &digits)
{
    const std::size_t point = std::min(digits.find_first_of(".e"), digits.size());
    for (std::size_t at = point; at > 3; at -= 3)
        digits.insert(at - 3, ",");
}

std::string floatDigits(double size, const Spec &spec, char type)
{
    if (std::isnan(size) || std::isinf(size))
        return std::isnan(size) ? "nan" : "inf";
    std::array<char, 512> buffer{};
    const char kind = static_cast<char>(type | 0x20);
    const auto format = kind == 'f'   ? std::chars_format::fixed
                        : kind == 'e' ? std::chars_format::scientific
                                      : std::chars_format::general;
    const int precision = spec.precision < 0                   ? 6
                          : spec.precision == 0 && kind == 'g' ? 1
                                                               : spec.precision;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), size, format, precision).ptr;
    return std::string(buffer.data(), end);
}

std::int64_t wholeNumber(const Value &value)
{
    if (value.isInteger())
        return value.asInteger();
    if (!value.is(Kind::Float) || !(std::fabs(value.asFloat()) < 9.2e18))
        throw TemplateError("%d format: a number is required, not " + typeName(value));
    return static_cast<std::int64_t>(value.asFloat());
}

/// A number with sign, prefix, grouping and zero padding, not yet aligned.
std::string numberText(const Value &value, const Spec &spec)
{
    char type = spec.type;
    bool negative = false;
    std::string prefix, digits;
    const char kind = static_cast<char>(type | 0x20);
    if (kind == 'e' || kind == 'f' || kind == 'g' || type == '%') {
        if (!value.isNumber())
            throw TemplateError("must be real number, not " + typeName(value));
        double number = value.asFloat();
        negative = std::signbit(number) && !std::isnan(number);
        if (type == '%')
            number *= 100;
        digits = floatDigits(std::fabs(number), spec, type == '%' ? 'f' : type);
        if (type == '%')
            digits += '%';
    } else if (type == 0 && value.is(Kind::Float)) {
        negative = std::signbit(value.asFloat());
        const double size = std::fabs(value.asFloat());
        digits = spec.precision < 0 ? floatText(size) : floatDigits(size, spec, 'g');
    } else {
        const std::int64_t whole = wholeNumber(value);
        negative = whole < 0;
        const auto size =
            negative ? 0 - static_cast<std::uint64_t>(whole) : static_cast<std::uint64_t>(whole);
        const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
        digits = unsignedText(size, base);
        if (spec.alternate && base != 10)
            prefix = std::string("0") + type;
    }
    if (spec.comma)
        insertCommas(digits);
    if (type >= 'A' && type <= 'Z') {
        for (char &c : digits)
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    std::string sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    prefix = sign + prefix;
    if (spec.align == '=') { // the filling stands between sign and digits
        const std::int64_t missing =
            spec.width - static_cast<std::int64_t>(prefix.size() + digits.size());
        for (std::int64_t i = 0; i < missing; ++i)
            prefix += spec.fill;
    }
    return prefix + digits;
}

Value formatOne(Runtime &rt, const Value &value, const Spec &spec)
{
    rt.budget.checkRepeat(spec.fill.size(), spec.width);
    const bool isText = spec.type == 's' || spec.type == 'r' ||
                        (spec.type == 0 && !value.isNumber()) ||
                        (spec.type == 0 && value.is(Kind::Bool));
    Value text;
    if (isText) {
        text = spec.type == 'r' ? rt.string(represent(rt, value)) : toText(rt, value);
        if (spec.precision >= 0)
            text = getSlice(rt, text, {}, Value::integer(spec.precision), {});
    } else if (spec.type == 'c' && value.isInteger()) {
        std::string character;
        const std::int64_t code = value.asInteger();
        appendUtf8(character,
                   code < 0 || code > 0x10FFFF ? 0xFFFD : static_cast<std::uint32_t>(code));
        text = rt.string(character);
    } else {
        requireDefined(value);
        text = rt.string(numberText(value, spec));
    }
    const Align align = spec.align == '^'                                  ? Align::FormatCenter
                        : spec.align == '>' || spec.align == '='           ? Align::Right
                        : spec.align == '<' || (isText && spec.align == 0) ? Align::Left
                                                                           : Align::Right;
    return spec.width > 0 ? padText(rt, text.asString(), spec.width, align, spec.fill) : text;
}

/// Values put into markup are escaped.
void appendLimited(Runtime &rt, MarkedBuilder &out, const StringObject &pattern, const Value &piece)
{
    const MarkedText &text =
        pattern.isMarkup ? escapeText(rt, piece).asString().marked : piece.asString().marked;
    rt.budget.checkText(out.size() + text.text.size());
    out.append(text);
}

// ---- str.format -------------------------------------------------------------------------------

Spec parseSpec(std::string_view text)
{
    Spec spec;
    std::size_t at = 0;
    const auto isAlign = [&](std::size_t i) {
        return i < text.size() && std::string_view("<>=^").find(text[i]) != std::string_view::npos;
    };
    const std::size_t afterFill = text.empty() ? 0 : nextCharacter(text, 0);
    if (isAlign(afterFill)) {
        spec.fill = text.substr(0, afterFill);
        spec.align = text[afterFill];
        at = afterFill + 1;
    } else if (isAlign(0)) {
        spec.align = text[at++];
    }
    if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' '))
        spec.sign = text[at++];
    if (at < text.size() && text[at] == '#') {
        spec.alternate = true;
        ++at;
    }
    if (at < text.size() && text[at] == '0') {
        if (!spec.align) {
            spec.fill = "0";
            spec.align = '=';
        }
        ++at;
    }
    spec.width = readNumberAt(text, at);
    if (at < text.size() && (text[at] == ',' || text[at] == '_')) {
        spec.comma = true;
        ++at;
    }
    if (at < text.size() && text[at] == '.') {
        ++at;
        spec.precision = readPrecision(text, at);
    }
    if (at < text.size())
        spec.type = text[at++];
    if (at != text.size() || (spec.type && std::string_view("sdbcoxXeEfFgGn%").find(spec.type) ==
                                               std::string_view::npos))
        throw TemplateError("Invalid format specifier " + fireside::quoted(text));
    if (spec.type == 'n')
        spec.type = 'd';
    return spec;
}

/// The value a field such as "0", "name", "user.name" or "items[0]" names.
Value fieldValue(Runtime &rt, std::string_view field, const Arguments &args, std::size_t &next)
{
    const std::size_t end = std::min(field.find_first_of(".["), field.size());
    const std::string first(field.substr(0, end));
    const auto number = parseInteger(first, 10);
    Value value;
    if (first.empty() || number) {
        const std::size_t index = number ? static_cast<std::size_t>(*number) : next++;
        if (index >= args.positional.size())
            throw TemplateError("Replacement index " + std::to_string(index) +
                                " out of range for positional args tuple");
        value = args.positional[index];
    } else {
        bool found = false;
        for (const auto &[name, candidate] : args.named) {
            if (name == first) {
                value = candidate;
                found = true;
            }
        }
        if (!found)
            throw TemplateError("format(): no argument named " + fireside::quoted(first));
    }
    for (std::size_t at = end; at < field.size();) {
        if (field[at] == '.') {
            const std::size_t stop = std::min(field.find_first_of(".[", at + 1), field.size());
            const StringObject name(
                MarkedText::trusted(std::string(field.substr(at + 1, stop - at - 1))));
            value = getAttribute(rt, value, name);
            at = stop;
        } else {
            const std::size_t stop = field.find(']', at);
            if (stop == std::string_view::npos)
                throw TemplateError("Missing ']' in format string");
            const std::string key(field.substr(at + 1, stop - at - 1));
            const auto index = parseInteger(key, 10);
            value = getItem(rt, value, index ? Value::integer(*index) : rt.string(key));
            at = stop + 1;
        }
    }
    return value;
}

// ---- the operator % ---------------------------------------------------------------------------

/// Flags, width, precision and type of a field; `at` moves behind it. "%%" has the type '%'.
Spec parsePercentSpec(std::string_view text, std::size_t &at)
{
    Spec spec;
    bool left = false, zero = false;
    for (; at < text.size() && std::string_view("-+ #0").find(text[at]) != std::string_view::npos;
         ++at) {
        left |= text[at] == '-';
        zero |= text[at] == '0';
        spec.alternate |= text[at] == '#';
        if (text[at] == '+' || text[at] == ' ')
            spec.sign = spec.sign == '+' ? '+' : text[at];
    }
    spec.width = readNumberAt(text, at);
    if (at < text.size() && text[at] == '.') {
        ++at;
        spec.precision = readPrecision(text, at);
    }
    if (at >= text.size())
        throw TemplateError("incomplete format");
    const char type = text[at++];
    if (std::string_view("sdiuforxXeEgGFc%").find(type) == std::string_view::npos)
        throw TemplateError(std::string("unsupported format character '") + type + "'");
    spec.type = type == 'i' || type == 'u' ? 'd' : type;
    spec.align = left ? '<' : zero && type != 's' && type != 'r' ? '=' : '>';
    spec.fill = spec.align == '=' ? "0" : " ";
    return spec;
}

} // namespace

Value formatBraces(Runtime &rt, const StringObject &pattern, const Arguments &args)
{
    const std::string &text = pattern.text();
    rt.budget.scan(text.size());
    MarkedBuilder out;
    std::size_t next = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
        out.append(pattern.marked, at, brace);
        if (brace == text.size())
            break;
        if (brace + 1 < text.size() && text[brace + 1] == text[brace]) { // {{ or }}
            out.append(pattern.marked, brace, brace + 1);
            at = brace + 2;
            continue;
        }
        const std::size_t close = text.find('}', brace);
        if (text[brace] == '}' || close == std::string::npos)
            throw TemplateError(std::string("Single '") + text[brace] +
                                "' encountered in format string");
        std::string_view field = std::string_view(text).substr(brace + 1, close - brace - 1);
        const std::size_t colon = std::min(field.find(':'), field.size());
        Spec spec = colon < field.size() ? parseSpec(field.substr(colon + 1)) : Spec();
        field = field.substr(0, colon);
        const bool repr = field.ends_with("!r");
        const bool str = field.ends_with("!s");
        if (repr || str)
            field.remove_suffix(2);
        Value value = fieldValue(rt, field, args, next);
        if (repr)
            value = rt.string(represent(rt, value));
        else if (str)
            value = toText(rt, value);
        appendLimited(rt, out, pattern, formatOne(rt, value, spec));
        at = close + 1;
    }
    return rt.stringLike(pattern, out.take());
}

Value formatPercent(Runtime &rt, const StringObject &pattern, const Value &values)
{
    const std::string &text = pattern.text();
    rt.budget.scan(text.size());
    const std::vector<Value> items =
        values.is(Kind::Tuple) ? values.asList().items : std::vector<Value>{values};
    std::size_t used = 0;
    bool named = false;
    const auto nextValue = [&] {
        if (used >= items.size())
            throw TemplateError("not enough arguments for format string");
        return items[used++];
    };
    MarkedBuilder out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t percent = std::min(text.find('%', at), text.size());
        out.append(pattern.marked, at, percent);
        at = percent + 1;
        if (percent == text.size())
            break;
        std::optional<Value> value;
        if (at < text.size() && text[at] == '(') { // %(name)s
            const std::size_t close = text.find(')', at);
            if (close == std::string::npos || !values.is(Kind::Dict))
                throw TemplateError("format requires a mapping");
            value = getItem(rt, values, rt.string(text.substr(at + 1, close - at - 1)));
            named = true;
            at = close + 1;
        }
        Spec spec = parsePercentSpec(text, at);
        if (spec.type == '%') {
            out.append("%");
            continue;
        }
        if (!value)
            value = nextValue();
        if (spec.type == 'c' && value->isString())
            spec.type = 's';
        appendLimited(rt, out, pattern, formatOne(rt, *value, spec));
    }
    if (!named && used < items.size() && !values.is(Kind::Dict))
        throw TemplateError("not all arguments converted during string formatting");
    return rt.stringLike(pattern, out.take());
}

} // namespace fireside::jinja
