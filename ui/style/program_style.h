#pragma once
#include <QProxyStyle>

namespace fireside {

/// Fusion, but boxes and rings that are ticked, lists that open and fields of numbers are drawn in
/// the theme's colours, as the style sheet draws its fields. Where it is written from the right no
/// letter is underlined: those letters join, and one that is drawn by itself takes the room of the
/// last ones.
class ProgramStyle : public QProxyStyle
{
public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                            QPainter *painter, const QWidget *widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                         const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &contents,
                           const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returned) const override;
};

} // namespace fireside
