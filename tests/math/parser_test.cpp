#include "ui/math/formula.h"
#include "ui/math/formula_finder.h"

#include <QRegularExpression>
#include <QStringList>

#include <gtest/gtest.h>

namespace fireside {
namespace {

/// A source that uses a command with what it needs around it.
QString use(const QString &name)
{
    const QString command = QLatin1Char('\\') + name;
    if (QStringList{"left"}.contains(name))
        return QStringLiteral("\\left( x \\right]");
    if (name == QLatin1String("begin"))
        return QStringLiteral("\\begin{matrix} a & b \\\\ c & d \\end{matrix}");
    if (name.contains(QRegularExpression(QStringLiteral("^([bB]ig+)[lrm]?$"))) &&
        name.startsWith(QLatin1String("big"), Qt::CaseInsensitive))
        return command + QLatin1Char('(');
    if (name.endsWith(QLatin1String("limits")) && !name.startsWith(QLatin1String("operator")))
        return QStringLiteral("\\sum%1_a^b").arg(command);
    if (name == QLatin1String("textcolor") || name == QLatin1String("colorbox") ||
        name == QLatin1String("color"))
        return command + QStringLiteral("{red}{x}");
    if (name == QLatin1String("hspace"))
        return command + QStringLiteral("{1em}");
    return QStringLiteral("a %1{b}{c}").arg(command);
}

TEST(FormulaParser, UnderstandsEveryCommandThatItNames)
{
    const QStringList names = formulaCommands();
    EXPECT_GE(names.size(), 500);
    for (const QString &name : names)
        EXPECT_TRUE(parseFormula(use(name))) << use(name).toStdString();
}

TEST(FormulaParser, UnderstandsWhatModelsWrite)
{
    for (const char *source :
         {R"(x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a})",
          R"(\int_{-\infty}^\infty e^{-x^2}\,dx=\sqrt\pi)",
          R"(\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}^{-1})", R"(f''(x)^2)",
          R"(\sum\limits_{k})",
          R"(f(x)=\begin{cases} 1 & \text{if } x>0 \\ 0 & \text{otherwise} \end{cases})",
          R"(\begin{align*} a &= b \\[4pt] &= c \tag{1} \end{align*})",
          R"({a \over b} {n \choose k})",
          R"(\underbrace{a+b}_{\text{two}} \overset{!}{=} \xrightarrow[n\to\infty]{d})",
          R"(\left\{ x \,\middle|\, x \in \mathbb{R} \right\})", R"(\not= \not\in \boxed{E=mc^2})",
          R"(\operatorname*{arg\,max}_\theta \mathcal{L}(\theta))", R"(5\% \text{ of } \$3)",
          R"(\begin{array}{c|cc} a & b & c \\ \hline d & e & f \\ \end{array})", "x_1^2 % comment",
          R"(\color{#ff8800} y \textcolor[HTML]{00FF00}{z})", R"(\text{Größe $x_1$ und 漢字})"})
        EXPECT_TRUE(parseFormula(QString::fromUtf8(source))) << source;
}

TEST(FormulaParser, RefusesTheRest)
{
    for (const char *source : {"",
                               "  ",
                               "\\unknown x",
                               "{",
                               "}",
                               "x^",
                               "x^a^b",
                               "\\frac{a}",
                               "\\left( x",
                               "\\right)",
                               "\\begin{pmatrix} a",
                               "\\begin{nothing} a \\end{nothing}",
                               "a & b",
                               "a \\\\ b",
                               "\\begin{matrix} a \\end{pmatrix}",
                               "\\sqrt[3{x}",
                               "\\color{noSuchColour} x",
                               "\\",
                               "#1",
                               "\\text{a $b}",
                               "\\text{\\unknown}",
                               "\\left x y \\right)",
                               "\\begin{array}{q} a \\end{array}"})
        EXPECT_FALSE(parseFormula(QString::fromUtf8(source))) << source;
    EXPECT_FALSE(parseFormula(QString(100000, QLatin1Char('{'))));
    EXPECT_FALSE(parseFormula(QString(4000, QLatin1Char('{')) + QString(4000, QLatin1Char('}'))));
    EXPECT_FALSE(parseFormula(QString(8000, QLatin1Char('x'))));
    EXPECT_FALSE(parseFormula(QStringLiteral("\\sqrt").repeated(1000) + QLatin1Char('x')));
    EXPECT_TRUE(parseFormula(QString(2000, QLatin1Char('x'))));
}

QStringList found(const QString &text)
{
    QStringList result;
    for (const FoundFormula &formula : findFormulas(text))
        result += (formula.display ? QStringLiteral("D ") : QStringLiteral("I ")) +
                  text.mid(formula.start, formula.length);
    return result;
}

TEST(FormulaFinder, Delimiters)
{
    EXPECT_EQ(found("a $x$, $$y$$ \\(z\\) and \\[w\\]."),
              QStringList({"I $x$", "D $$y$$", "I \\(z\\)", "D \\[w\\]"}));
    EXPECT_EQ(found("\\begin{align}a\\begin{cases}b\\end{cases}\\end{align} x"),
              QStringList({"D \\begin{align}a\\begin{cases}b\\end{cases}\\end{align}"}));
    EXPECT_EQ(found("**$x$** ($y_1$-axis) $$\na\n$$"),
              QStringList({"I $x$", "I $y_1$", "D $$\na\n$$"}));
    EXPECT_EQ(found("\\[a \\\\[2pt] b\\]"), QStringList({"D \\[a \\\\[2pt] b\\]"}));
    EXPECT_EQ(found("$2x \\text{ apples}$ and $3 = 3$"),
              QStringList({"I $2x \\text{ apples}$", "I $3 = 3$"}));
}

TEST(FormulaFinder, NoPricesNoCodeNothingOpen)
{
    for (const char *text : {"$5 and $6",
                             "US$5 or US$6",
                             "from $5-$6",
                             "\\$x\\$",
                             "`$x$`",
                             "``a`$x$``",
                             "```\n$x$\n```",
                             "~~~\n\\[x\\]\n~~~",
                             "- ```\n  $x$\n  ```",
                             "$x",
                             "$$x",
                             "\\(x",
                             "\\[x",
                             "\\begin{align} a",
                             "$ x $",
                             "$x\n\ny$",
                             "\\begin{verse}a\\end{verse}",
                             "\\\\(x\\\\)",
                             "$20 for this, and then 30$ for",
                             "$$$$",
                             "\\[ \\begin{pmatrix}a\\end{pmatrix}",
                             "pay $20 (or $15) now"})
        EXPECT_EQ(found(QString::fromUtf8(text)), QStringList()) << text;
}

TEST(FormulaFinder, WordsMayTouchFormulas)
{
    EXPECT_EQ(found("其中$f(x)$的导数是$f'(x)$。"), QStringList({"I $f(x)$", "I $f'(x)$"}));
    EXPECT_EQ(found("ここで$x^2+1$は、값$y$는 и$z$и"),
              QStringList({"I $x^2+1$", "I $y$", "I $z$"}));
    EXPECT_EQ(found("the $n$th term, $x$-axis, 2$k$s"), QStringList({"I $n$", "I $x$", "I $k$"}));
    EXPECT_EQ(found("the $(n+1)$st, $ij$th and $10$th of pre$\\alpha$s in $3$D"),
              QStringList({"I $(n+1)$", "I $ij$", "I $10$", "I $\\alpha$", "I $3$"}));
    EXPECT_EQ(found("共$2^n$个，第$i$个；从$0$到$n-1$"),
              QStringList({"I $2^n$", "I $i$", "I $0$", "I $n-1$"}));
    EXPECT_EQ(
        found("$0 < xy < 1$, $4ac$, $2π r$, $9.81 m/s^2$, $1, 2, 3$"),
        QStringList({"I $0 < xy < 1$", "I $4ac$", "I $2π r$", "I $9.81 m/s^2$", "I $1, 2, 3$"}));
    EXPECT_EQ(found("$2 A$ is, $2$ 5, $2a$ 3"), QStringList({"I $2 A$", "I $2$", "I $2a$"}));
    EXPECT_EQ(found("($a$), «$b$», “$c$”, $20 and $x = 5$ holds, so $30"),
              QStringList({"I $a$", "I $b$", "I $c$", "I $x = 5$"}));
}

TEST(FormulaFinder, PricesAndVariablesAreText)
{
    for (const char *text : {"$3/kg, 4$/lb",
                             "costs $5 to $7, i.e. 5$–7$",
                             "Only $59(save $100)",
                             "**$148+ → $19**",
                             "R$ 12,29/m, R$ 5,00/m",
                             "From $19 · R$ 12,29/m",
                             "**$19** or CA$ 25",
                             "US$5 and A$7, $10k–$20k",
                             "$HOME/bin:$PATH",
                             "5 $ bis 7 $",
                             "从$5涨到$7",
                             "价格为$5，涨到7$。",
                             "5$和$7",
                             "$5或者7$",
                             "5$/month, 6$/month",
                             "$a-$b/$c",
                             "for ($i=0;$i<5;$i++)",
                             "10$ea,20$ea",
                             "$5 or 6$",
                             "5$US, 6$US",
                             "$5/6$CAD",
                             "$NAME$SUFFIX",
                             "$5) and (6$",
                             "$5 до 7$"})
        EXPECT_EQ(found(QString::fromUtf8(text)), QStringList()) << text;
}

TEST(FormulaFinder, UnclosedBeginningsAreFewSteps)
{
    EXPECT_TRUE(findFormulas(QStringLiteral("\\(").repeated(100000)).isEmpty());
    EXPECT_TRUE(findFormulas(QStringLiteral("\\begin{align}").repeated(20000)).isEmpty());
}

} // namespace
} // namespace fireside
