#pragma once
#include <QProxyStyle>

namespace fireside {

/// Fusion, but boxes that are ticked are drawn in the theme's colours, and fields have its borders:
/// Fusion outlines them darker than the window, which nobody sees on a dark one. Where it is
/// written from the right no letter is underlined: those letters join, and one that is drawn by
/// itself takes the room of the last ones.
class ProgramStyle : public QProxyStyle
{
public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                            QPainter *painter, const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returned) const override;
};

} // namespace fireside
