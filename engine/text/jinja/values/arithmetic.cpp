// Arithmetic and concatenation with Python's rules; integers are limited to 64 bits.
#include "engine/text/jinja/values/format.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"
#include "engine/text/jinja/values/string_ops.h"

#include <cmath>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

[[noreturn]] void failOverflow()
{
    throw TemplateError("an integer left the 64-bit limit");
}

[[noreturn]] void failOperands(BinaryOp op, const Value &a, const Value &b)
{
    // In the order of BinaryOp.
    static constexpr const char *Symbols[] = {"+", "-", "*", "/", "//", "%", "**", "~"};
    throw TemplateError("unsupported operand type(s) for " +
                        std::string(Symbols[static_cast<std::size_t>(op)]) + ": '" + typeName(a) +
                        "' and '" + typeName(b) + "'");
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    if (b == -1) { // INT64_MIN / -1 has no result
        std::int64_t result = 0;
        if (__builtin_sub_overflow(std::int64_t{0}, a, &result))
            failOverflow();
        return result;
    }
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floorModulo(std::int64_t a, std::int64_t b)
{
    if (b == -1)
        return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double floorModulo(double a, double b)
{
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t power(std::int64_t base, std::int64_t exponent)
{
    std::int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            failOverflow();
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            failOverflow();
    }
    return result;
}

Value integerOp(BinaryOp op, std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
    case BinaryOp::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case BinaryOp::Subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case BinaryOp::Multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case BinaryOp::FloorDivide:
        result = floorDivide(a, b);
        break;
    case BinaryOp::Modulo:
        result = floorModulo(a, b);
        break;
    default:
        result = power(a, b);
        break;
    }
    if (overflow)
        failOverflow();
    return Value::integer(result);
}

Value floatOp(BinaryOp op, double a, double b)
{
    switch (op) {
    case BinaryOp::Add:
        return Value::number(a + b);
    case BinaryOp::Subtract:
        return Value::number(a - b);
    case BinaryOp::Multiply:
        return Value::number(a * b);
    case BinaryOp::Divide:
        return Value::number(a / b);
    case BinaryOp::FloorDivide:
        return Value::number(std::floor(a / b));
    case BinaryOp::Modulo:
        return Value::number(floorModulo(a, b));
    default:
        return Value::number(std::pow(a, b));
    }
}

Value numberOp(BinaryOp op, const Value &a, const Value &b)
{
    const bool divides =
        op == BinaryOp::Divide || op == BinaryOp::FloorDivide || op == BinaryOp::Modulo;
    if (divides && b.asFloat() == 0)
        throw TemplateError("division by zero");
    if (op == BinaryOp::Power && a.asFloat() == 0 && b.asFloat() < 0)
        throw TemplateError("zero cannot be raised to a negative power");
    const bool isFloat = !a.isInteger() || !b.isInteger() || op == BinaryOp::Divide ||
                         (op == BinaryOp::Power && b.asInteger() < 0);
    return isFloat ? floatOp(op, a.asFloat(), b.asFloat())
                   : integerOp(op, a.asInteger(), b.asInteger());
}

Value concatenate(Runtime &rt, const StringObject &a, const StringObject &b, bool isMarkup)
{
    rt.budget.checkText(a.text().size() + b.text().size());
    MarkedBuilder out;
    out.append(a.marked);
    out.append(b.marked);
    return rt.heap.string(out.take(), isMarkup);
}

Value repeat(Runtime &rt, const Value &value, std::int64_t count)
{
    if (value.isString()) {
        const StringObject &s = value.asString();
        rt.budget.checkRepeat(s.text().size(), count);
        rt.budget.checkRepeat(s.marked.untrusted.size() * sizeof(MarkedText::Range), count);
        MarkedBuilder out;
        for (std::int64_t i = 0; i < count && !s.text().empty(); ++i)
            out.append(s.marked);
        return rt.stringLike(s, out.take());
    }
    const auto &items = value.asList().items;
    rt.budget.checkRepeat(items.size() * sizeof(Value), count);
    std::vector<Value> result;
    for (std::int64_t i = 0; i < count && !items.empty(); ++i)
        result.insert(result.end(), items.begin(), items.end());
    return rt.heap.sequence(value.kind(), std::move(result));
}

Value add(Runtime &rt, const Value &a, const Value &b)
{
    if (a.isString() && b.isString()) {
        if (!a.asString().isMarkup && !b.asString().isMarkup)
            return concatenate(rt, a.asString(), b.asString(), false);
        return concatenate(rt, escapeText(rt, a).asString(), escapeText(rt, b).asString(), true);
    }
    if (a.isString())
        throw TemplateError("can only concatenate str (not \"" + typeName(b) + "\") to str");
    if (a.kind() == b.kind() && (a.is(Kind::List) || a.is(Kind::Tuple))) {
        std::vector<Value> items = a.asList().items;
        items.insert(items.end(), b.asList().items.begin(), b.asList().items.end());
        return rt.heap.sequence(a.kind(), std::move(items));
    }
    failOperands(BinaryOp::Add, a, b);
}

} // namespace

Value applyBinary(Runtime &rt, BinaryOp op, const Value &a, const Value &b)
{
    if (op == BinaryOp::Concat)
        return concatenate(rt, toText(rt, a).asString(), toText(rt, b).asString(), false);
    if (a.isNumber() && b.isNumber())
        return numberOp(op, a, b);
    requireDefined(a);
    if (op == BinaryOp::Modulo && a.isString())
        return formatPercent(rt, a.asString(), b);
    requireDefined(b);
    if (op == BinaryOp::Add)
        return add(rt, a, b);
    if (op == BinaryOp::Multiply && a.isIndexable() && b.isInteger())
        return repeat(rt, a, b.asInteger());
    if (op == BinaryOp::Multiply && a.isInteger() && b.isIndexable())
        return repeat(rt, b, a.asInteger());
    failOperands(op, a, b);
}

Value negate(const Value &value)
{
    requireDefined(value);
    if (value.is(Kind::Float))
        return Value::number(-value.asFloat());
    if (!value.isInteger())
        throw TemplateError("bad operand type for unary -: '" + typeName(value) + "'");
    return integerOp(BinaryOp::Subtract, 0, value.asInteger());
}

} // namespace fireside::jinja
