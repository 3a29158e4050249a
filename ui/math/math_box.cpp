#include "ui/math/math_box.h"

#include <QGlyphRun>
#include <QPainter>
#include <QPainterPath>
#include <QRawFont>

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

namespace {

QPainterPath shapeOf(const QGlyphRun &run)
{
    QPainterPath shape;
    const QRawFont font = run.rawFont();
    const QList<quint32> glyphs = run.glyphIndexes();
    const QList<QPointF> places = run.positions();
    for (qsizetype i = 0; i < std::min(glyphs.size(), places.size()); ++i)
        shape.addPath(font.pathForGlyph(glyphs[i]).translated(places[i]));
    shape.setFillRule(Qt::WindingFill);
    return shape;
}

void paintMarks(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour,
                bool shapes)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const MathMark &mark : box.marks) {
        const QColor ink = mark.colour.isValid() ? mark.colour : colour;
        if (!mark.rect.isNull())
            painter.fillRect(mark.rect.translated(origin), ink);
        if (!mark.glyphs.isEmpty() && shapes) {
            painter.fillPath(shapeOf(mark.glyphs).translated(origin + mark.at), ink);
        } else if (!mark.glyphs.isEmpty()) {
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

} // namespace

void fillBox(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour)
{
    paintMarks(painter, box, origin, colour, true);
}

void paintBox(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour)
{
    paintMarks(painter, box, origin, colour, false);
}

} // namespace fireside
