#include "ui/transcript/render_style.h"

#include <QFontInfo>

namespace fireside {

RenderStyle RenderStyle::screen()
{
    RenderStyle style;
    style.theme = Theme::current();
    style.text = Theme::font(1.0);
    style.code = Theme::monospace();
    if (const double points = QFontInfo(style.text).pointSizeF(); points > 0)
        style.pixelsPerPoint = QFontInfo(style.text).pixelSize() / points;
    return style;
}

RenderStyle RenderStyle::page(QSizeF size, double dpi)
{
    constexpr double kPoints = 10, kCodePoints = 9;
    // Room between letters, too little to be seen, keeps "fi" two letters for those who copy.
    constexpr double kNoLigatures = 1 / 64.0;
    RenderStyle style;
    style.theme = Theme::paper();
    style.text.setPointSizeF(kPoints);
    style.text.setLetterSpacing(QFont::AbsoluteSpacing, kNoLigatures);
    style.code = QFont(QStringLiteral("monospace"));
    style.code.setStyleHint(QFont::Monospace);
    style.code.setPointSizeF(kCodePoints);
    style.code.setLetterSpacing(QFont::AbsoluteSpacing, kNoLigatures);
    style.pixelsPerPoint = dpi / 72;
    style.paper = true;
    style.largest = size;
    return style;
}

double RenderStyle::textPixels() const
{
    return text.pointSizeF() * pixelsPerPoint;
}

} // namespace fireside
