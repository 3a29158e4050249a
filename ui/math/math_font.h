#pragma once
#include "ui/math/formula.h"

#include <QFont>
#include <QHash>
#include <QRawFont>

#include <memory>

namespace fireside {

/// The constants of the OpenType table MATH, in its order. Distances in em of the font's size.
enum class MathConstant : quint8 {
    Leading,
    AxisHeight,
    AccentBaseHeight,
    FlattenedAccentBaseHeight,
    SubscriptShiftDown,
    SubscriptTopMax,
    SubscriptBaselineDropMin,
    SuperscriptShiftUp,
    SuperscriptShiftUpCramped,
    SuperscriptBottomMin,
    SuperscriptBaselineDropMax,
    SubSuperscriptGapMin,
    SuperscriptBottomMaxWithSubscript,
    SpaceAfterScript,
    UpperLimitGapMin,
    UpperLimitBaselineRiseMin,
    LowerLimitGapMin,
    LowerLimitBaselineDropMin,
    StackTopShiftUp,
    StackTopDisplayStyleShiftUp,
    StackBottomShiftDown,
    StackBottomDisplayStyleShiftDown,
    StackGapMin,
    StackDisplayStyleGapMin,
    StretchStackTopShiftUp,
    StretchStackBottomShiftDown,
    StretchStackGapAboveMin,
    StretchStackGapBelowMin,
    FractionNumeratorShiftUp,
    FractionNumeratorDisplayStyleShiftUp,
    FractionDenominatorShiftDown,
    FractionDenominatorDisplayStyleShiftDown,
    FractionNumeratorGapMin,
    FractionNumDisplayStyleGapMin,
    FractionRuleThickness,
    FractionDenominatorGapMin,
    FractionDenomDisplayStyleGapMin,
    SkewedFractionHorizontalGap,
    SkewedFractionVerticalGap,
    OverbarVerticalGap,
    OverbarRuleThickness,
    OverbarExtraAscender,
    UnderbarVerticalGap,
    UnderbarRuleThickness,
    UnderbarExtraDescender,
    RadicalVerticalGap,
    RadicalDisplayStyleVerticalGap,
    RadicalRuleThickness,
    RadicalExtraAscender,
    RadicalKernBeforeDegree,
    RadicalKernAfterDegree,
};
inline constexpr int kMathConstants = 51;

/// A larger form of a glyph, or a part of one that grows.
struct GlyphPart
{
    quint32 glyph = 0;
    double advance = 0; // em in the direction of growth
    double startOverlap = 0, endOverlap = 0;
    bool extender = false;
};

struct GlyphGrowth
{
    QList<GlyphPart> sizes; // from small to large
    QList<GlyphPart> parts; // from bottom to top, or from left to right
};

struct GlyphShape
{
    double advance = 0;
    QRectF bounds; // em, y downwards
};

/// A font with what the layout of formulas needs to know. Without the table MATH the constants are
/// those of Latin Modern Math and nothing grows but by scaling.
class MathFont
{
public:
    /// The first mathematical font of the system, else the one of the interface.
    static const MathFont &system();
    explicit MathFont(const QString &family);

    bool mathematical() const { return !m_table.isEmpty(); }
    double operator[](MathConstant constant) const { return m_constants[int(constant)]; }
    double scriptScale(MathStyle style) const;
    double leastDisplayOperator() const { return m_leastOperator; }
    double degreeRaise() const { return m_degreeRaise; }
    double xHeight() const { return m_xHeight; }
    QString family() const { return m_design.familyName(); }

    quint32 glyph(char32_t character) const; // 0: none
    GlyphShape shape(quint32 glyph) const;
    double italic(quint32 glyph) const { return m_italics.value(glyph); }
    /// Negative: nowhere in particular.
    double accentAt(quint32 glyph) const { return m_accents.value(glyph, -1); }
    GlyphGrowth growth(quint32 glyph, bool upright) const;
    QRawFont sized(double pixels) const;

private:
    void readConstants();
    void readGlyphValues(int offset, QHash<quint32, double> &values) const;
    GlyphGrowth readGrowth(int offset) const;
    QList<quint32> coverage(int offset) const;
    int u16(int offset) const;
    int s16(int offset) const { return qint16(u16(offset)); }
    double em(int offset) const { return s16(offset) / m_unitsPerEm; }

    QRawFont m_design; // at one pixel per unit
    QByteArray m_table;
    double m_unitsPerEm = 1000;
    double m_constants[kMathConstants];
    double m_scales[2] = {0.7, 0.5};
    double m_leastOperator = 1.3, m_degreeRaise = 0.6, m_xHeight = 0.45;
    QHash<quint32, double> m_italics, m_accents;
    mutable QHash<char32_t, quint32> m_glyphs;
    mutable QHash<quint32, GlyphShape> m_shapes;
    mutable QHash<int, QRawFont> m_sized;
};

} // namespace fireside
