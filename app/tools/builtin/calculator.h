#pragma once
#include <QString>

namespace fireside {

struct Calculation
{
    QString value;   // empty: there is none
    QString problem; // then: what is wrong, with its place
};

/// The value of an expression: + - * / % ^ (or **), !, brackets, numbers (decimal, 1e9, 0x1f,
/// 0b101), pi, e, tau, and functions such as sqrt(2), log(100), max(1, 2, 3); angles in radians.
/// Whole numbers are exact up to 38 digits, everything else has the 15 to 16 digits of a double.
/// Length and depth are limited.
Calculation calculated(const QString &expression);

/// The functions that it knows.
QStringList calculatorFunctions();

} // namespace fireside
