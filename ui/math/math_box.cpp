#include "ui/math/math_box.h"

#include <QPainter>

#include <algorithm>

namespace fireside {

void MathBox::put(MathBox other, double x, double y)
{
    width = std::max(width, x + other.width);
    ascent = std::max(ascent, other.ascent - y);
    descent = std::max(descent, other.descent + y);
    marks.reserve(marks.size() + other.marks.size());
    for (MathMark &mark : other.marks) {
        mark.at += QPointF(x, y);
        mark.rect.translate(x, y);
        marks.push_back(std::move(mark));
    }
}

void MathBox::putRect(const QRectF &rect)
{
    MathMark mark;
    mark.rect = rect;
    marks.push_back(std::move(mark));
}

void paintBox(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const MathMark &mark : box.marks) {
        const QColor ink = mark.colour.isValid() ? mark.colour : colour;
        if (!mark.rect.isNull())
            painter.fillRect(mark.rect.translated(origin), ink);
        if (!mark.glyphs.isEmpty()) {
            painter.setPen(ink);
            painter.drawGlyphRun(origin + mark.at, mark.glyphs);
        }
        if (mark.path.isEmpty())
            continue;
        painter.translate(origin + mark.at);
        if (mark.stroke > 0)
            painter.strokePath(mark.path, QPen(ink, mark.stroke));
        else
            painter.fillPath(mark.path, ink);
        painter.translate(-(origin + mark.at));
    }
    painter.restore();
}

} // namespace fireside
