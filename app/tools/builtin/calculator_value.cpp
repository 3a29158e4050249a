#include "app/tools/builtin/calculator_value.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fireside::calculator {
namespace {

struct ValueTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Calculator)
};

constexpr double kExactReal = 9007199254740992.0; // 2^53

template <typename Exact, typename Rough>
Value combined(const Value &a, const Value &b, Exact exact, Rough rough)
{
    Whole result = 0;
    if (a.isWhole && b.isWhole && !exact(a.whole, b.whole, &result))
        return Value::of(result);
    return Value::of(rough(a.asReal(), b.asReal()));
}

} // namespace

Value settled(double number)
{
    if (std::floor(number) == number && std::abs(number) < kExactReal)
        return Value::of(static_cast<Whole>(number));
    return Value::of(number);
}

Value sum(const Value &a, const Value &b)
{
    return combined(
        a, b, [](Whole x, Whole y, Whole *r) { return __builtin_add_overflow(x, y, r); },
        [](double x, double y) { return x + y; });
}

Value difference(const Value &a, const Value &b)
{
    return combined(
        a, b, [](Whole x, Whole y, Whole *r) { return __builtin_sub_overflow(x, y, r); },
        [](double x, double y) { return x - y; });
}

Value product(const Value &a, const Value &b)
{
    return combined(
        a, b, [](Whole x, Whole y, Whole *r) { return __builtin_mul_overflow(x, y, r); },
        [](double x, double y) { return x * y; });
}

Value negative(const Value &a)
{
    return difference(Value::of(Whole(0)), a);
}

Value quotient(const Value &a, const Value &b)
{
    if (b.isZero())
        throw Mistake(ValueTexts::tr("division by zero"));
    // −1 would overflow for the least number.
    if (a.isWhole && b.isWhole && b.whole != -1 && a.whole % b.whole == 0)
        return Value::of(a.whole / b.whole);
    if (b.isWhole && b.whole == -1)
        return negative(a);
    return Value::of(a.asReal() / b.asReal());
}

Value remainder(const Value &a, const Value &b)
{
    if (b.isZero())
        throw Mistake(ValueTexts::tr("division by zero"));
    if (a.isWhole && b.isWhole) {
        if (b.whole == -1 || b.whole == 1)
            return Value::of(Whole(0));
        const Whole rest = a.whole % b.whole;
        return Value::of(rest != 0 && (rest < 0) != (b.whole < 0) ? rest + b.whole : rest);
    }
    const double rest = std::fmod(a.asReal(), b.asReal());
    return Value::of(rest != 0 && (rest < 0) != (b.asReal() < 0) ? rest + b.asReal() : rest);
}

Value power(const Value &a, const Value &b)
{
    if (a.isZero() && compare(b, Value::of(Whole(0))) < 0)
        throw Mistake(ValueTexts::tr("division by zero"));
    if (a.isWhole && b.isWhole && b.whole >= 0 && b.whole <= 100'000) {
        Value result = Value::of(Whole(1)), base = a;
        for (auto left = static_cast<int>(b.whole); left > 0 && result.isWhole; left /= 2) {
            if (left % 2 != 0)
                result = product(result, base);
            if (left > 1)
                base = product(base, base);
            if (!base.isWhole && left > 1) // no longer exact: the library is
                result = Value::of(0.0);
        }
        if (result.isWhole)
            return result;
    }
    const double real = std::pow(a.asReal(), b.asReal());
    if (std::isnan(real) && !std::isnan(a.asReal()) && !std::isnan(b.asReal()))
        throw Mistake(ValueTexts::tr("a power of a negative number that is no real number"));
    return Value::of(real);
}

Value factorial(const Value &a)
{
    const Value whole = a.isWhole ? a : settled(a.real);
    if (!whole.isWhole || whole.whole < 0 || whole.whole > 170)
        throw Mistake(ValueTexts::tr("factorials are there of whole numbers from 0 to 170"));
    Value result = Value::of(Whole(1));
    for (Whole i = 2; i <= whole.whole; ++i)
        result = product(result, Value::of(i));
    return result;
}

int compare(const Value &a, const Value &b)
{
    if (a.isWhole && b.isWhole)
        return a.whole < b.whole ? -1 : a.whole > b.whole ? 1 : 0;
    const double x = a.asReal(), y = b.asReal();
    return x < y ? -1 : x > y ? 1 : 0;
}

QString wholeText(Whole number)
{
    if (number == 0)
        return QStringLiteral("0");
    QString digits;
    for (Whole left = number; left != 0; left /= 10) {
        const auto digit = static_cast<int>(left % 10);
        digits += QChar(u'0' + std::abs(digit));
    }
    if (number < 0)
        digits += QLatin1Char('-');
    std::reverse(digits.begin(), digits.end());
    return digits;
}

QString textOf(const Value &value)
{
    if (value.isWhole)
        return wholeText(value.whole);
    if (std::isnan(value.real))
        throw Mistake(ValueTexts::tr("there is no such number"));
    if (std::isinf(value.real))
        throw Mistake(ValueTexts::tr("the number is too large"));
    const Value whole = settled(value.real);
    return whole.isWhole ? wholeText(whole.whole) : QString::number(value.real, 'g', 15);
}

} // namespace fireside::calculator
