#pragma once
#include "ui/style/theme.h"

#include <QSizeF>

namespace fireside {

/// Fonts and colours of a rendered text.
struct RenderStyle
{
    Theme theme;
    QFont text, code;
    double pixelsPerPoint = 96 / 72.0;
    bool paper = false; // nothing can be clicked or moved sideways
    QSizeF largest;     // px that a formula may have; empty: any

    static RenderStyle screen();
    /// Black on white, whatever the window looks like. `size` in px. Any thread.
    static RenderStyle page(QSizeF size, double dpi);
    double textPixels() const;
};

} // namespace fireside
