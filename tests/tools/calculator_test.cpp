// The calculator against values computed elsewhere, random expressions against doubles, and
// whatever models may write.
#include "app/tools/builtin/calculator.h"
#include "tests/support/seed.h"

#include <QString>

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace fireside::test {
namespace {

struct Sum
{
    const char *expression, *value;
};

TEST(Calculator, GivesKnownValues)
{
    // Computed with Python: int, fractions, math.
    for (const Sum &sum : {Sum{"1+2*3", "7"},
                           Sum{"(1+2)*3", "9"},
                           Sum{"2^3^2", "512"},
                           Sum{"-2^2", "-4"},
                           Sum{"2**-1", "0.5"},
                           Sum{"10/4", "2.5"},
                           Sum{"10/5", "2"},
                           Sum{"7%3", "1"},
                           Sum{"-7%3", "2"},
                           Sum{"7%-3", "-2"},
                           Sum{"5.5%2", "1.5"},
                           Sum{"0.1+0.2", "0.3"},
                           Sum{"123456789*987654321", "121932631112635269"},
                           Sum{"12345678901234567*89", "1098765422209876463"},
                           Sum{"2^126-1", "85070591730234615865843651857942052863"},
                           Sum{"2^127", "1.70141183460469e+38"},
                           Sum{"25!", "15511210043330985984000000"},
                           Sum{"3!!", "720"},
                           Sum{"0!", "1"},
                           Sum{"0x1F + 0b101", "36"},
                           Sum{"1e3", "1000"},
                           Sum{"1.5e-7", "1.5e-07"},
                           Sum{".5+.5", "1"},
                           Sum{"sqrt(144)", "12"},
                           Sum{"sqrt(2)", "1.4142135623731"},
                           Sum{"cbrt(27)", "3"},
                           Sum{"ln(e)", "1"},
                           Sum{"log(1000)", "3"},
                           Sum{"log(8,2)", "3"},
                           Sum{"log2(1024)", "10"},
                           Sum{"sin(pi/2)", "1"},
                           Sum{"cos(0)", "1"},
                           Sum{"deg(pi)", "180"},
                           Sum{"rad(180)-pi", "0"},
                           Sum{"atan2(1,1)*4-pi", "0"},
                           Sum{"hypot(3,4)", "5"},
                           Sum{"floor(-2.5)", "-3"},
                           Sum{"ceil(-2.5)", "-2"},
                           Sum{"trunc(-2.5)", "-2"},
                           Sum{"round(2.5)", "3"},
                           Sum{"round(2.345, 2)", "2.35"},
                           Sum{"abs(-3)", "3"},
                           Sum{"sign(-3)", "-1"},
                           Sum{"gcd(84, 36)", "12"},
                           Sum{"lcm(4, 6)", "12"},
                           Sum{"min(3, 1, 2)", "1"},
                           Sum{"max(3; 1; 2)", "3"},
                           Sum{"mean(1,2,3,4)", "2.5"},
                           Sum{"sum(1,2,3)", "6"},
                           Sum{"mod(10, 4)", "2"},
                           Sum{"6 × 7 ÷ 2 − 1", "20"},
                           Sum{"π", "3.14159265358979"},
                           Sum{"tau/pi", "2"},
                           Sum{"-(-(3))", "3"},
                           Sum{"--3", "3"},
                           Sum{"2*-3", "-6"},
                           Sum{"100000000000000000000", "100000000000000000000"},
                           Sum{"1e308*10", ""},
                           Sum{"1/0", ""},
                           Sum{"0^-1", ""},
                           Sum{"5%0", ""},
                           Sum{"sqrt(-1)", ""},
                           Sum{"(-8)^(1/3)", ""},
                           Sum{"ln(-1)", ""},
                           Sum{"171!", ""},
                           Sum{"(-1)!", ""},
                           Sum{"0.5!", ""},
                           Sum{"", ""},
                           Sum{"1+", ""},
                           Sum{"(1", ""},
                           Sum{"1)", ""},
                           Sum{"1 2", ""},
                           Sum{"foo(1)", ""},
                           Sum{"sin", ""},
                           Sum{"sin()", ""},
                           Sum{"sin(1,2)", ""},
                           Sum{"gcd(1.5,2)", ""},
                           Sum{"0x", ""},
                           Sum{"1..2", ""},
                           Sum{"system('ls')", ""},
                           Sum{"$(ls)", ""},
                           Sum{"`ls`", ""}}) {
        const Calculation result = calculated(QString::fromUtf8(sum.expression));
        EXPECT_EQ(result.value.toStdString(), sum.value)
            << sum.expression << ": " << qPrintable(result.problem);
        EXPECT_EQ(result.value.isEmpty(), !result.problem.isEmpty()) << sum.expression;
    }
}

/// An expression and its value, built together.
std::pair<QString, double> randomSum(std::mt19937 &random, int depth)
{
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    if (depth == 0 || pick(4) == 0) {
        const int number = pick(200);
        return {QString::number(number), number};
    }
    const auto [left, a] = randomSum(random, depth - 1);
    const auto [right, b] = randomSum(random, depth - 1);
    switch (pick(5)) {
    case 0:
        return {QStringLiteral("(%1 + %2)").arg(left, right), a + b};
    case 1:
        return {QStringLiteral("(%1-%2)").arg(left, right), a - b};
    case 2:
        return {QStringLiteral("%1*(%2)").arg(QStringLiteral("(%1)").arg(left), right), a * b};
    case 3:
        return {QStringLiteral("-(%1)").arg(left), -a};
    default:
        return {QStringLiteral("((%1)/((%2)^2+1))").arg(left, right), a / (b * b + 1)};
    }
}

TEST(Calculator, AgreesWithDoubles)
{
    std::mt19937 random = generator();
    for (int i = 0; i < 3000; ++i) {
        const auto [expression, value] = randomSum(random, 5);
        const Calculation result = calculated(expression);
        ASSERT_TRUE(result.problem.isEmpty()) << qPrintable(expression + u' ' + result.problem);
        EXPECT_NEAR(result.value.toDouble(), value, 1e-9 * std::max(1.0, std::abs(value)))
            << qPrintable(expression);
    }
}

TEST(Calculator, TakesAnythingWithoutHarm)
{
    std::mt19937 random = generator();
    const QString letters = QStringLiteral("0123456789.eE+-*/%^!(),;xbpi sqrtlogminmax\n\t\"'$πé");
    for (int i = 0; i < 20'000; ++i) {
        QString text;
        for (auto n = random() % 40; n > 0; --n)
            text +=
                letters[static_cast<qsizetype>(random() % static_cast<unsigned>(letters.size()))];
        const Calculation result = calculated(text);
        EXPECT_EQ(result.value.isEmpty(), !result.problem.isEmpty()) << qPrintable(text);
    }
    for (const char *mark : {"(", "-", "sin(", "2^", "!"}) {
        const Calculation deep = calculated(QString::fromLatin1(mark).repeated(900));
        EXPECT_FALSE(deep.problem.isEmpty()) << mark;
    }
    EXPECT_FALSE(calculated(QString(5000, u'1')).problem.isEmpty());
    EXPECT_EQ(calculated(QStringLiteral("1") + QStringLiteral("+1").repeated(1500)).value,
              QStringLiteral("1501"));
}

} // namespace
} // namespace fireside::test
