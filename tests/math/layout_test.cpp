#include "ui/math/formula_layout.h"

#include <QElapsedTimer>
#include <QStringList>

#include <gtest/gtest.h>

#include <cmath>

namespace fireside {
namespace {

QFont wordsFont()
{
    QFont font;
    font.setPixelSize(16);
    return font;
}

MathBox set(const QString &source, bool display = false, const MathFont &font = MathFont::system(),
            double em = 100)
{
    const std::optional<FormulaNode> tree = parseFormula(source);
    EXPECT_TRUE(tree) << source.toStdString();
    FormulaLook look{.em = em, .display = display, .words = wordsFont()};
    return tree ? layOutFormula(*tree, look, font) : MathBox();
}

/// The rectangles of a formula: bars and rules.
QList<QRectF> rules(const MathBox &box)
{
    QList<QRectF> found;
    for (const MathMark &mark : box.marks) {
        if (!mark.rect.isNull())
            found.append(mark.rect);
    }
    return found;
}

QPointF glyphAt(const MathBox &box, std::size_t index)
{
    return box.marks.at(index).at;
}

class FormulaLayoutTest : public ::testing::TestWithParam<bool>
{
protected:
    /// With a mathematical font and with one that is none.
    static const MathFont &font()
    {
        static const MathFont plain(QStringLiteral("DejaVu Sans"));
        return GetParam() ? MathFont::system() : plain;
    }
    MathBox set(const char *source, bool display = false) const
    {
        return fireside::set(QString::fromUtf8(source), display, font());
    }
    double px(MathConstant constant) const { return font()[constant] * 100; }
};

TEST_P(FormulaLayoutTest, AFractionsBarIsOnTheAxis)
{
    for (const char *source : {"\\frac12", "\\dfrac{x^2}{y}", "\\frac{\\frac ab}{c}"}) {
        const MathBox box = set(source, true);
        ASSERT_FALSE(rules(box).isEmpty());
        EXPECT_NEAR(-rules(box).last().center().y(), px(MathConstant::AxisHeight), 1e-6) << source;
    }
}

TEST_P(FormulaLayoutTest, NumeratorAndDenominatorKeepTheirDistance)
{
    const MathBox box = set("\\frac{g}{\\hat d}", true);
    const QRectF bar = rules(box).first();
    const MathBox above = set("g"), below = set("\\hat d");
    const double gapAbove = bar.top() - (glyphAt(box, 0).y() + above.descent);
    const double gapBelow = glyphAt(box, 1).y() - below.ascent - bar.bottom();
    EXPECT_GE(gapAbove, px(MathConstant::FractionNumDisplayStyleGapMin) - 1e-6);
    EXPECT_GE(gapBelow, px(MathConstant::FractionDenomDisplayStyleGapMin) - 1e-6);
}

TEST_P(FormulaLayoutTest, ScriptsAreShiftedAndSmaller)
{
    const MathBox up = set("x^a"), cramped = set("\\sqrt{x^a}"), down = set("x_a");
    EXPECT_NEAR(-glyphAt(up, 1).y(), px(MathConstant::SuperscriptShiftUp), 8);
    EXPECT_LE(-glyphAt(cramped, cramped.marks.size() - 1).y(), -glyphAt(up, 1).y() + 1e-6);
    EXPECT_GE(glyphAt(down, 1).y(), px(MathConstant::SubscriptShiftDown) - 1e-6);
    const MathBox both = set("x_a^b");
    const double low = -glyphAt(both, 1).y(), high = glyphAt(both, 2).y();
    EXPECT_GT(low, 0);
    EXPECT_GT(high, 0);
    const double size = up.marks[1].glyphs.rawFont().pixelSize();
    EXPECT_LT(size, 100);
    EXPECT_LT(set("x^{a^b}").marks[2].glyphs.rawFont().pixelSize(), size);
}

TEST_P(FormulaLayoutTest, WidthsAddUpWithTheSpacesBetweenClasses)
{
    const double a = set("a").width, plus = set("{+}").width, equal = set("{=}").width;
    EXPECT_NEAR(set("aa").width, 2 * a, 1e-6);
    EXPECT_NEAR(set("a+a").width, 2 * a + plus + 2 * 100 * 4 / 18.0, 1e-6);
    EXPECT_NEAR(set("a=a").width, 2 * a + equal + 2 * 100 * 5 / 18.0, 1e-6);
    EXPECT_NEAR(set("{+}a").width, set("+a").width, 1e-6) << "a sign is no operation";
    EXPECT_NEAR(set("a\\quad a").width, 2 * a + 100, 1e-6);
    EXPECT_NEAR(set("\\phantom{aa}").width, 2 * a, 1e-6);
    EXPECT_TRUE(set("\\phantom{aa}").marks.empty());
    EXPECT_NEAR(set("\\sin a").width, set("\\sin").width + a + 100 * 3 / 18.0, 1e-6);
}

TEST_P(FormulaLayoutTest, NegativeSpacesAloneTakeNoRoom)
{
    EXPECT_EQ(set("\\!").width, 0);
    EXPECT_LT(set("a\\!b").width, set("ab").width) << "between others they draw together";
}

TEST_P(FormulaLayoutTest, DelimitersGrowWithWhatTheyHold)
{
    double before = 0;
    for (const char *body : {"a", "\\frac ab", "\\frac{\\frac ab}{\\frac cd}",
                             "\\begin{matrix}a\\\\b\\\\c\\\\d\\\\e\\\\f\\end{matrix}",
                             "\\begin{matrix}a\\\\b\\\\c\\\\d\\\\e\\\\f\\\\g\\\\h\\end{matrix}"}) {
        const MathBox inner = set(body, true);
        const MathBox box =
            set(QStringLiteral("\\left(%1\\right)").arg(QLatin1String(body)).toUtf8(), true);
        EXPECT_GE(box.height(), 0.85 * inner.height()) << body;
        EXPECT_LE(box.height(), std::max(set("(").height(), 1.8 * inner.height())) << body;
        EXPECT_GT(box.height(), before) << body;
        before = box.height();
    }
    before = 0;
    for (const char *size : {"(", "\\big(", "\\Big(", "\\bigg(", "\\Bigg("}) {
        EXPECT_GT(set(size).height(), before) << size;
        before = set(size).height();
    }
}

TEST_P(FormulaLayoutTest, LimitsStandAboveAndBelowInDisplayStyle)
{
    const MathBox display = set("\\sum_a^b", true), inlined = set("\\sum_a^b");
    EXPECT_GT(display.height(), inlined.height());
    EXPECT_LT(display.width, set("\\sum", true).width * 1.3);
    EXPECT_GT(inlined.width, set("\\sum").width);
    EXPECT_NEAR(set("\\sum\\nolimits_a^b", true).width - set("\\sum", true).width,
                inlined.width - set("\\sum").width, 1e-6);
}

TEST_P(FormulaLayoutTest, ARootCoversItsBody)
{
    const MathBox body = set("\\frac{a}{b}"), root = set("\\sqrt{\\frac{a}{b}}");
    EXPECT_GT(root.ascent, body.ascent + px(MathConstant::RadicalVerticalGap));
    EXPECT_NEAR(rules(root).first().right(), root.width, 1e-6);
    EXPECT_NEAR(rules(root).first().width(), body.width, px(MathConstant::RadicalRuleThickness));
    EXPECT_GE(set("\\sqrt[3]{x}").width, set("\\sqrt{x}").width);
}

TEST_P(FormulaLayoutTest, GridsAlignTheirColumns)
{
    const MathBox box = set("\\begin{aligned}a&=b\\\\aaa&=c\\end{aligned}", true);
    // Marks by columns: a, aaa, the first "=" and its term, the second.
    EXPECT_NEAR(glyphAt(box, 4).x(), glyphAt(box, 6).x(), 1e-6);
    EXPECT_GT(glyphAt(box, 6).y() - glyphAt(box, 4).y(), 100);
    const double axis = px(MathConstant::AxisHeight);
    const MathBox matrix = set("\\begin{matrix}a&b\\\\c&d\\end{matrix}");
    EXPECT_NEAR((matrix.ascent - matrix.descent) / 2, axis, 1e-6);
}

TEST_P(FormulaLayoutTest, EveryCommandHasARoomAndAMark)
{
    for (const QString &name : formulaCommands()) {
        if (!parseFormula(QLatin1Char('\\') + name))
            continue;
        const MathBox box = fireside::set(QLatin1Char('\\') + name, true, font());
        EXPECT_TRUE(std::isfinite(box.width) && std::isfinite(box.height())) << name.toStdString();
    }
}

INSTANTIATE_TEST_SUITE_P(, FormulaLayoutTest, ::testing::Bool(), [](const auto &one) {
    return one.param ? "WithMathFont" : "WithoutMathFont";
});

TEST(FormulaLayoutSpeed, TwoHundredFormulas)
{
    const QString source = QStringLiteral("\\int_{-\\infty}^{\\infty}\\frac{\\sqrt{1+x_%1^2}}{"
                                          "\\left(\\sum_{k=1}^n a_k\\right)^2}\\,dx"
                                          "=\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}");
    QElapsedTimer timer;
    timer.start();
    std::size_t marks = 0;
    for (int i = 0; i < 200; ++i)
        marks += set(source.arg(i), true, MathFont::system(), 16).marks.size();
    std::printf("200 formulas, %zu marks: %.2f ms\n", marks, double(timer.nsecsElapsed()) / 1e6);
    EXPECT_GT(marks, 200u * 20);
}

} // namespace
} // namespace fireside
