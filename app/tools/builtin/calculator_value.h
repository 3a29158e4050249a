#pragma once
#include <QString>

#include <stdexcept>

namespace fireside::calculator {

__extension__ using Whole = __int128;

/// A number: whole as long as it is exact, else a double.
struct Value
{
    bool isWhole = true;
    Whole whole = 0;
    double real = 0;

    static Value of(Whole number) { return {true, number, 0}; }
    static Value of(double number) { return {false, 0, number}; }
    double asReal() const { return isWhole ? static_cast<double>(whole) : real; }
    bool isZero() const { return isWhole ? whole == 0 : real == 0; }
};

class Mistake : public std::runtime_error
{
public:
    explicit Mistake(const QString &text)
        : std::runtime_error(text.toStdString())
    {}
    QString text() const { return QString::fromUtf8(what()); }
};

Value sum(const Value &a, const Value &b);
Value difference(const Value &a, const Value &b);
Value product(const Value &a, const Value &b);
Value quotient(const Value &a, const Value &b);
Value remainder(const Value &a, const Value &b); // with the sign of b
Value power(const Value &a, const Value &b);
Value factorial(const Value &a);
Value negative(const Value &a);
int compare(const Value &a, const Value &b);
/// Mistake where it is not a number or infinite.
QString textOf(const Value &value);
QString wholeText(Whole number);
/// Whole where it is one and small enough to be exact.
Value settled(double number);

} // namespace fireside::calculator
