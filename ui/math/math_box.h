#pragma once
#include <QColor>
#include <QGlyphRun>
#include <QPainterPath>
#include <QRectF>

#include <vector>

class QPainter;

namespace fireside {

/// Something drawn: glyphs, a filled rectangle, or a path that is filled or stroked.
struct MathMark
{
    QPointF at; // of the glyphs' and the path's origin
    QGlyphRun glyphs;
    QRectF rect;
    QPainterPath path;
    double stroke = 0; // width of the path's line; 0 fills it
    QColor colour;     // invalid: the surrounding text's
};

/// A laid-out part of a formula. Origin: left end of the baseline; y grows downwards. px.
struct MathBox
{
    double width = 0, ascent = 0, descent = 0;
    double italic = 0;    // how far the last glyph leans out to the right, within the width
    double accentAt = -1; // where an accent is centred; negative: in the middle
    bool glyph = false;   // a single character
    std::vector<MathMark> marks = {};

    double height() const { return ascent + descent; }
    /// Adds what `other` draws; the sizes grow upwards, downwards and to the right.
    void put(MathBox other, double x, double y);
    void putRect(const QRectF &rect);
};

/// As shapes, which are no text in a file.
void fillBox(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour);
void paintBox(QPainter &painter, const MathBox &box, QPointF origin, const QColor &colour);

} // namespace fireside
