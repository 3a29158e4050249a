#include "engine/text/jinja/builtins/filters.h"
#include "engine/text/jinja/values/literals.h"
#include "engine/text/jinja/values/operators.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Input = const Value &;

std::optional<std::int64_t> wholePart(double number)
{
    if (!(std::fabs(number) < 9.2e18))
        return {};
    return static_cast<std::int64_t>(number);
}

Value toInteger(Runtime &, Input input, Args args)
{
    const Parameters p("int", args, {"default", "base"});
    requireDefined(input);
    std::optional<std::int64_t> result;
    if (input.isInteger()) {
        result = input.asInteger();
    } else if (input.is(Kind::Float)) {
        result = wholePart(input.asFloat());
    } else if (input.isString()) {
        result = parseInteger(input.text(), static_cast<int>(std::min<std::int64_t>(
                                                std::max<std::int64_t>(p.integer(1, 10), 0), 100)));
        if (!result) {
            if (const auto number = parseFloat(input.text()))
                result = wholePart(*number);
        }
    }
    if (result)
        return Value::integer(*result);
    return p.has(0) ? p[0] : Value::integer(0);
}

Value toFloat(Runtime &, Input input, Args args)
{
    const Parameters p("float", args, {"default"});
    requireDefined(input);
    if (input.isNumber())
        return Value::number(input.asFloat());
    if (input.isString()) {
        if (const auto number = parseFloat(input.text()))
            return Value::number(*number);
    }
    return p.has(0) ? p[0] : Value::number(0.0);
}

Value absolute(Runtime &, Input input, Args args)
{
    const Parameters p("abs", args, {});
    requireDefined(input);
    if (!input.isNumber())
        throw TemplateError("bad operand type for abs(): '" + typeName(input) + "'");
    if (input.is(Kind::Float))
        return Value::number(std::fabs(input.asFloat()));
    return input.asInteger() < 0 ? negate(input) : Value::integer(input.asInteger());
}

/// Correctly rounded to `digits` decimals, halves to even where the decimal is exact, like round().
double roundDecimals(double number, int digits)
{
    if (!std::isfinite(number) || digits > 300)
        return number;
    if (digits < 0) {
        const double scale = std::pow(10.0, -digits);
        return std::isfinite(scale) ? std::nearbyint(number / scale) * scale : 0.0;
    }
    char text[700];
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    // snprintf may write the locale's decimal comma; parseFloat wants a point.
    for (char *c = text; *c; ++c)
        *c = *c == ',' ? '.' : *c;
    return parseFloat(text).value_or(number);
}

Value roundNumber(Runtime &, Input input, Args args)
{
    const Parameters p("round", args, {"precision", "method"});
    requireDefined(input);
    if (!input.isNumber())
        throw TemplateError("round: a number is required, not " + typeName(input));
    const std::string method = p.text(1) ? p.text(1)->text() : "common";
    const auto digits = static_cast<int>(
        std::min<std::int64_t>(std::max<std::int64_t>(p.integer(0, 0), -400), 400));
    const double number = input.asFloat();
    if (method == "common") {
        if (!input.isInteger())
            return Value::number(roundDecimals(number, digits));
        // Python rounds an integer to an integer.
        const auto whole = digits < 0 ? wholePart(roundDecimals(number, digits)) : std::nullopt;
        return Value::integer(whole.value_or(input.asInteger()));
    }
    if (method != "ceil" && method != "floor")
        throw TemplateError("method must be common, ceil or floor");
    const double scale = std::pow(10.0, digits);
    const double scaled = number * scale;
    return Value::number((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Value filesizeformat(Runtime &rt, Input input, Args args)
{
    const Parameters p("filesizeformat", args, {"binary"});
    const Value number = toFloat(rt, input, {});
    const double bytes = number.asFloat();
    const double base = p.truth(0, false) ? 1024 : 1000;
    if (bytes == 1)
        return rt.string("1 Byte");
    if (bytes < base)
        return rt.string(std::to_string(wholePart(bytes).value_or(0)) + " Bytes");
    static constexpr const char *Decimal[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
    static constexpr const char *Binary[] = {"KiB", "MiB", "GiB", "TiB",
                                             "PiB", "EiB", "ZiB", "YiB"};
    double unit = base;
    int i = 0;
    while (i < 7 && bytes >= unit * base) {
        unit *= base;
        ++i;
    }
    std::string text = floatText(roundDecimals(bytes / unit, 1));
    return rt.string(text + " " + (base == 1024 ? Binary[i] : Decimal[i]));
}

} // namespace

const BuiltinTable &numberFilters()
{
    static const BuiltinTable Filters = {
        {"int", toInteger},
        {"float", toFloat},
        {"abs", absolute},
        {"round", roundNumber},
        {"filesizeformat", filesizeformat},
    };
    return Filters;
}

} // namespace fireside::jinja
