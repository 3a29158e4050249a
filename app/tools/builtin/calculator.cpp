#include "app/tools/builtin/calculator.h"

#include "app/tools/builtin/calculator_value.h"

#include <QCoreApplication>
#include <QHash>
#include <QList>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace fireside {
namespace {

using namespace calculator;

struct CalculatorTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Calculator)
};

constexpr qsizetype kLongestExpression = 4000;
constexpr int kDeepestExpression = 100;

struct Function
{
    int least, most; // arguments
    std::function<Value(const QList<Value> &)> value;
};

Function real(double (*function)(double))
{
    return {1, 1, [function](const QList<Value> &given) {
                const double result = function(given[0].asReal());
                if (std::isnan(result))
                    throw Mistake(CalculatorTexts::tr("a function has no value there"));
                return Value::of(result);
            }};
}

Function rounding(double (*function)(double))
{
    return {1, 1, [function](const QList<Value> &given) {
                return given[0].isWhole ? given[0] : settled(function(given[0].real));
            }};
}

Whole wholeOf(const Value &value)
{
    const Value whole = value.isWhole ? value : settled(value.real);
    if (!whole.isWhole)
        throw Mistake(CalculatorTexts::tr("a whole number is needed"));
    return whole.whole;
}

Whole divisor(Whole a, Whole b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const Whole rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Value squareRoot(const QList<Value> &given)
{
    const double root = std::sqrt(given[0].asReal());
    if (std::isnan(root))
        throw Mistake(CalculatorTexts::tr("the root of a negative number is no real number"));
    const Value whole = settled(std::round(root));
    const bool exact =
        given[0].isWhole && whole.isWhole && compare(product(whole, whole), given[0]) == 0;
    return exact ? whole : Value::of(root);
}

Value extreme(const QList<Value> &given, int side)
{
    Value best = given[0];
    for (const Value &one : given)
        best = compare(one, best) * side > 0 ? one : best;
    return best;
}

Value total(const QList<Value> &given)
{
    Value all = Value::of(Whole(0));
    for (const Value &one : given)
        all = sum(all, one);
    return all;
}

const QHash<QString, Function> &functions()
{
    constexpr int kMany = 1000;
    using Given = QList<Value>;
    static const QHash<QString, Function> all{
        {"sqrt", {1, 1, squareRoot}},
        {"cbrt", real([](double x) { return std::cbrt(x); })},
        {"exp", real([](double x) { return std::exp(x); })},
        {"ln", real([](double x) { return std::log(x); })},
        {"log2", real([](double x) { return std::log2(x); })},
        {"log10", real([](double x) { return std::log10(x); })},
        {"log",
         {1, 2,
          [](const Given &g) {
              const double base = g.size() > 1 ? std::log(g[1].asReal()) : std::log(10.0);
              const double value =
                  g.size() > 1 ? std::log(g[0].asReal()) / base : std::log10(g[0].asReal());
              if (std::isnan(value))
                  throw Mistake(CalculatorTexts::tr("a function has no value there"));
              return Value::of(value);
          }}},
        {"sin", real([](double x) { return std::sin(x); })},
        {"cos", real([](double x) { return std::cos(x); })},
        {"tan", real([](double x) { return std::tan(x); })},
        {"asin", real([](double x) { return std::asin(x); })},
        {"acos", real([](double x) { return std::acos(x); })},
        {"atan", real([](double x) { return std::atan(x); })},
        {"sinh", real([](double x) { return std::sinh(x); })},
        {"cosh", real([](double x) { return std::cosh(x); })},
        {"tanh", real([](double x) { return std::tanh(x); })},
        {"atan2",
         {2, 2,
          [](const Given &g) { return Value::of(std::atan2(g[0].asReal(), g[1].asReal())); }}},
        {"hypot",
         {2, 2,
          [](const Given &g) { return Value::of(std::hypot(g[0].asReal(), g[1].asReal())); }}},
        {"deg", real([](double x) { return x * 180 / std::numbers::pi; })},
        {"rad", real([](double x) { return x * std::numbers::pi / 180; })},
        {"floor", rounding([](double x) { return std::floor(x); })},
        {"ceil", rounding([](double x) { return std::ceil(x); })},
        {"trunc", rounding([](double x) { return std::trunc(x); })},
        {"round",
         {1, 2,
          [](const Given &g) {
              if (g.size() == 1)
                  return g[0].isWhole ? g[0] : settled(std::round(g[0].real));
              const Whole digits = wholeOf(g[1]);
              if (digits < 0 || digits > 15)
                  throw Mistake(CalculatorTexts::tr("digits to round to go from 0 to 15"));
              const double scale = std::pow(10.0, static_cast<double>(digits));
              return Value::of(std::round(g[0].asReal() * scale) / scale);
          }}},
        {"abs",
         {1, 1,
          [](const Given &g) {
              return compare(g[0], Value::of(Whole(0))) < 0 ? negative(g[0]) : g[0];
          }}},
        {"sign",
         {1, 1,
          [](const Given &g) { return Value::of(Whole(compare(g[0], Value::of(Whole(0))))); }}},
        {"mod", {2, 2, [](const Given &g) { return remainder(g[0], g[1]); }}},
        {"gcd",
         {2, 2, [](const Given &g) { return Value::of(divisor(wholeOf(g[0]), wholeOf(g[1]))); }}},
        {"lcm",
         {2, 2,
          [](const Given &g) {
              const Whole common = divisor(wholeOf(g[0]), wholeOf(g[1]));
              if (common == 0)
                  return Value::of(Whole(0));
              const Value least =
                  product(Value::of(wholeOf(g[0]) / common), Value::of(wholeOf(g[1])));
              return compare(least, Value::of(Whole(0))) < 0 ? negative(least) : least;
          }}},
        {"factorial", {1, 1, [](const Given &g) { return factorial(g[0]); }}},
        {"min", {1, kMany, [](const Given &g) { return extreme(g, -1); }}},
        {"max", {1, kMany, [](const Given &g) { return extreme(g, +1); }}},
        {"sum", {1, kMany, total}},
        {"mean",
         {1, kMany, [](const Given &g) { return quotient(total(g), Value::of(Whole(g.size()))); }}},
    };
    return all;
}

/// Recursive descent: sums of products of signed powers of things that may have a ! behind them.
class Reader
{
public:
    explicit Reader(const QString &text)
        : m_text(text)
    {}

    Value whole()
    {
        const Value value = sums();
        if (skip() < m_text.size())
            throw Mistake(CalculatorTexts::tr("“%1” is not understood").arg(rest()));
        return value;
    }
    qsizetype at() const { return m_at; }

private:
    qsizetype skip()
    {
        while (m_at < m_text.size() && m_text[m_at].isSpace())
            ++m_at;
        return m_at;
    }
    QString rest() const { return m_text.mid(m_at, 20); }
    bool take(QStringView mark)
    {
        skip();
        if (!QStringView(m_text).mid(m_at).startsWith(mark))
            return false;
        m_at += mark.size();
        return true;
    }

    Value sums()
    {
        Value value = products();
        while (true) {
            if (take(u"+"))
                value = sum(value, products());
            else if (take(u"-") || take(u"−"))
                value = difference(value, products());
            else
                return value;
        }
    }
    Value products()
    {
        Value value = signs();
        while (true) {
            skip();
            const bool isPower = QStringView(m_text).mid(m_at).startsWith(u"**");
            if (!isPower && (take(u"*") || take(u"×") || take(u"·")))
                value = product(value, signs());
            else if (take(u"/") || take(u"÷"))
                value = quotient(value, signs());
            else if (take(u"%"))
                value = remainder(value, signs());
            else
                return value;
        }
    }
    Value signs()
    {
        const Depth depth(*this);
        if (take(u"-") || take(u"−"))
            return negative(signs());
        if (take(u"+"))
            return signs();
        return powers();
    }
    Value powers()
    {
        Value base = things();
        while (take(u"!"))
            base = factorial(base);
        if (take(u"^") || take(u"**"))
            return power(base, signs()); // to the right first
        return base;
    }
    Value things()
    {
        const Depth depth(*this);
        skip();
        if (m_at >= m_text.size())
            throw Mistake(CalculatorTexts::tr("the expression ends too early"));
        if (take(u"(")) {
            const Value value = sums();
            if (!take(u")"))
                throw Mistake(CalculatorTexts::tr("a bracket is not closed"));
            return value;
        }
        const QChar c = m_text[m_at];
        if (c.isDigit() || c == u'.')
            return number();
        if (c == u'π' || c.isLetter())
            return named();
        throw Mistake(CalculatorTexts::tr("“%1” is not understood").arg(rest()));
    }
    Value number();
    Value based(int base);
    Value named();

    /// Counts how deep things are nested.
    struct Depth
    {
        explicit Depth(Reader &r)
            : reader(r)
        {
            if (++reader.m_depth > 2 * kDeepestExpression)
                throw Mistake(CalculatorTexts::tr("the expression is nested too deeply"));
        }
        ~Depth() { --reader.m_depth; }
        Reader &reader;
    };

    const QString m_text;
    qsizetype m_at = 0;
    int m_depth = 0;
};

Value Reader::based(int base)
{
    m_at += 2;
    const qsizetype start = m_at;
    Value value = Value::of(Whole(0));
    for (; m_at < m_text.size(); ++m_at) {
        bool isDigit = false;
        const int digit = m_text.mid(m_at, 1).toInt(&isDigit, base);
        if (!isDigit)
            break;
        value = sum(product(value, Value::of(Whole(base))), Value::of(Whole(digit)));
    }
    if (m_at == start)
        throw Mistake(CalculatorTexts::tr("a number has no digits"));
    return value;
}

Value Reader::number()
{
    const QStringView two = QStringView(m_text).mid(m_at, 2);
    if (two.compare(u"0x", Qt::CaseInsensitive) == 0)
        return based(16);
    if (two.compare(u"0b", Qt::CaseInsensitive) == 0)
        return based(2);
    const qsizetype start = m_at;
    Value value = Value::of(Whole(0));
    const auto digits = [&] {
        while (m_at < m_text.size() && m_text[m_at] >= u'0' && m_text[m_at] <= u'9')
            ++m_at;
    };
    digits();
    bool isReal = false;
    if (m_at < m_text.size() && m_text[m_at] == u'.') {
        isReal = true;
        ++m_at;
        digits();
    }
    qsizetype exponent = m_at;
    if (exponent < m_text.size() && (m_text[exponent] == u'e' || m_text[exponent] == u'E')) {
        ++exponent;
        if (exponent < m_text.size() && (m_text[exponent] == u'+' || m_text[exponent] == u'-'))
            ++exponent;
        if (exponent < m_text.size() && m_text[exponent] >= u'0' && m_text[exponent] <= u'9') {
            isReal = true;
            m_at = exponent;
            digits();
        }
    }
    const QString text = m_text.mid(start, m_at - start);
    if (isReal) {
        bool read = false;
        const double real = text.toDouble(&read);
        if (!read)
            throw Mistake(CalculatorTexts::tr("“%1” is no number").arg(text.left(40)));
        return settled(real);
    }
    for (const QChar digit : text)
        value = sum(product(value, Value::of(Whole(10))), Value::of(Whole(digit.unicode() - u'0')));
    return value.isWhole ? value : Value::of(text.toDouble());
}

Value Reader::named()
{
    const qsizetype start = m_at;
    while (m_at < m_text.size() && (m_text[m_at].isLetterOrNumber() || m_text[m_at] == u'_'))
        ++m_at;
    const QString name = m_text.mid(start, m_at - start).toLower();
    if (name == QLatin1String("pi") || name == QStringLiteral("π"))
        return Value::of(std::numbers::pi);
    if (name == QLatin1String("e"))
        return Value::of(std::numbers::e);
    if (name == QLatin1String("tau"))
        return Value::of(2 * std::numbers::pi);
    const auto function = functions().constFind(name);
    if (function == functions().constEnd())
        throw Mistake(CalculatorTexts::tr("“%1” is not known; there are: %2")
                          .arg(name.left(40), calculatorFunctions().join(QStringLiteral(", "))));
    if (!take(u"("))
        throw Mistake(CalculatorTexts::tr("“%1” needs its arguments in brackets").arg(name));
    QList<Value> given;
    if (!take(u")")) {
        do
            given.append(sums());
        while (take(u",") || take(u";"));
        if (!take(u")"))
            throw Mistake(CalculatorTexts::tr("a bracket is not closed"));
    }
    if (given.size() < function->least || given.size() > function->most)
        throw Mistake(CalculatorTexts::tr("“%1” takes another number of arguments").arg(name));
    return function->value(given);
}

} // namespace

QStringList calculatorFunctions()
{
    QStringList names = functions().keys();
    names.sort();
    return names;
}

Calculation calculated(const QString &expression)
{
    if (expression.size() > kLongestExpression)
        return {{},
                CalculatorTexts::tr("the expression has %1 characters; it may have %2")
                    .arg(expression.size())
                    .arg(kLongestExpression)};
    Reader reader(expression);
    try {
        return {textOf(reader.whole()), {}};
    } catch (const Mistake &mistake) {
        return {{},
                CalculatorTexts::tr("%1 (at character %2)")
                    .arg(mistake.text())
                    .arg(std::min(reader.at() + 1, expression.size()))};
    }
}

} // namespace fireside
