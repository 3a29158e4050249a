#pragma once
#include <QProxyStyle>

namespace fireside {

/// Fusion, but boxes that are ticked are drawn in the theme's colours: Fusion outlines them darker
/// than the window, which nobody sees on a dark one.
class ProgramStyle : public QProxyStyle
{
public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
};

} // namespace fireside
