#include "ui/style/icons.h"

#include "ui/style/theme.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

#include <algorithm>

namespace fireside {

namespace {

/// Strokes and fills of one icon on the 24 × 24 grid.
struct Drawing
{
    QPainterPath stroke;
    QPainterPath fill;
};

void line(QPainterPath &path, std::initializer_list<QPointF> points)
{
    bool first = true;
    for (const QPointF &point : points) {
        if (first)
            path.moveTo(point);
        else
            path.lineTo(point);
        first = false;
    }
}

void box(QPainterPath &path, double x, double y, double w, double h, double radius)
{
    path.addRoundedRect(QRectF(x, y, w, h), radius, radius);
}

QPainterPath flame()
{
    QPainterPath p(QPointF(12, 2.5));
    p.cubicTo(13, 6.5, 18.5, 9, 18.5, 14.5);
    p.cubicTo(18.5, 18.6, 15.6, 21.5, 12, 21.5);
    p.cubicTo(8.4, 21.5, 5.5, 18.6, 5.5, 14.8);
    p.cubicTo(5.5, 12, 7, 10.2, 8.4, 8.6);
    p.cubicTo(8.6, 10.4, 9.2, 11.4, 10.4, 12);
    p.cubicTo(9.8, 8.6, 10.2, 5.2, 12, 2.5);
    return p;
}

QPainterPath pencilOnSheet()
{
    QPainterPath s;
    line(s, {{12, 4.5}, {6.5, 4.5}});
    s.cubicTo(5.4, 4.5, 4.5, 5.4, 4.5, 6.5);
    s.lineTo(4.5, 17.5);
    s.cubicTo(4.5, 18.6, 5.4, 19.5, 6.5, 19.5);
    s.lineTo(17.5, 19.5);
    s.cubicTo(18.6, 19.5, 19.5, 18.6, 19.5, 17.5);
    s.lineTo(19.5, 12);
    line(s, {{10, 14}, {10.6, 11.4}, {17.6, 4.4}, {19.6, 6.4}, {12.6, 13.4}, {10, 14}});
    return s;
}

QPainterPath paperclip()
{
    QPainterPath s;
    line(s, {{18.6, 11.2}, {11.6, 18.2}});
    s.cubicTo(9.8, 20, 7.2, 20, 5.5, 18.3);
    s.cubicTo(3.8, 16.6, 3.8, 14, 5.6, 12.2);
    s.lineTo(12.8, 5);
    s.cubicTo(14, 3.8, 15.8, 3.8, 17, 5);
    s.cubicTo(18.2, 6.2, 18.2, 8, 17, 9.2);
    s.lineTo(10.2, 16);
    s.cubicTo(9.6, 16.6, 8.7, 16.6, 8.1, 16);
    s.cubicTo(7.5, 15.4, 7.5, 14.5, 8.1, 13.9);
    s.lineTo(14, 8);
    return s;
}

QPainterPath bin()
{
    QPainterPath s;
    line(s, {{4.5, 6.5}, {19.5, 6.5}});
    line(s, {{9.5, 6}, {9.5, 3.8}, {14.5, 3.8}, {14.5, 6}});
    line(s, {{6.5, 6.5}, {7.4, 20}, {16.6, 20}, {17.5, 6.5}});
    line(s, {{10.2, 10.5}, {10.4, 16}});
    line(s, {{13.8, 10.5}, {13.6, 16}});
    return s;
}

Drawing drawChat(IconName name)
{
    Drawing d;
    QPainterPath &s = d.stroke;
    switch (name) {
    case IconName::NewChat:
        s = pencilOnSheet();
        break;
    case IconName::Search:
        s.addEllipse(QPointF(10.5, 10.5), 6, 6);
        line(s, {{15, 15}, {20, 20}});
        break;
    case IconName::Pin:
        line(s, {{9, 3.5}, {15, 3.5}});
        line(s, {{10, 3.5}, {10, 10}, {7, 13.5}, {17, 13.5}, {14, 10}, {14, 3.5}});
        line(s, {{12, 13.5}, {12, 20.5}});
        break;
    case IconName::Rename:
    case IconName::Edit:
        line(s, {{4.5, 19.5}, {5.5, 15.2}, {15.8, 4.9}, {19.1, 8.2}, {8.8, 18.5}, {4.5, 19.5}});
        line(s, {{13.4, 7.3}, {16.7, 10.6}});
        break;
    case IconName::Send:
        line(s, {{12, 19}, {12, 5.5}});
        line(s, {{6, 11.5}, {12, 5.5}, {18, 11.5}});
        break;
    case IconName::Stop:
        box(d.fill, 6.5, 6.5, 11, 11, 2.2);
        break;
    case IconName::Copy:
        box(s, 8.5, 8.5, 11, 11, 2);
        line(s, {{15.5, 5.5}, {15.5, 4.5}, {4.5, 4.5}, {4.5, 15.5}, {5.5, 15.5}});
        break;
    case IconName::Regenerate:
    case IconName::Refresh:
        s.arcMoveTo(QRectF(4.5, 4.5, 15, 15), 40);
        s.arcTo(QRectF(4.5, 4.5, 15, 15), 40, 300);
        line(s, {{19.8, 3.6}, {19.2, 8}, {14.8, 7.6}});
        break;
    case IconName::Attach:
        s = paperclip();
        break;
    case IconName::Delete:
        s = bin();
        break;
    default:
        break;
    }
    return d;
}

Drawing drawStatus(IconName name)
{
    Drawing d;
    QPainterPath &s = d.stroke;
    switch (name) {
    case IconName::Speed:
        s.arcMoveTo(QRectF(3.5, 5, 17, 17), -25);
        s.arcTo(QRectF(3.5, 5, 17, 17), -25, 230);
        line(s, {{12, 13.5}, {16, 9}});
        break;
    case IconName::Download:
        line(s, {{12, 4}, {12, 15}});
        line(s, {{7, 10}, {12, 15}, {17, 10}});
        line(s, {{4.5, 15.5}, {4.5, 20}, {19.5, 20}, {19.5, 15.5}});
        break;
    case IconName::Offline:
        s.addEllipse(QPointF(12, 12), 8.5, 8.5);
        line(s, {{6, 6}, {18, 18}});
        break;
    case IconName::Info:
        s.addEllipse(QPointF(12, 12), 8.5, 8.5);
        line(s, {{12, 11}, {12, 16}});
        d.fill.addEllipse(QPointF(12, 7.9), 1.15, 1.15);
        break;
    case IconName::Warning:
        line(s, {{12, 4}, {21, 19.5}, {3, 19.5}, {12, 4}});
        line(s, {{12, 9.8}, {12, 14}});
        d.fill.addEllipse(QPointF(12, 16.7), 1.1, 1.1);
        break;
    case IconName::Error:
        s.addEllipse(QPointF(12, 12), 8.5, 8.5);
        line(s, {{9, 9}, {15, 15}});
        line(s, {{15, 9}, {9, 15}});
        break;
    case IconName::Success:
        s.addEllipse(QPointF(12, 12), 8.5, 8.5);
        line(s, {{8.2, 12.4}, {11, 15.2}, {16, 9.4}});
        break;
    default:
        return drawChat(name);
    }
    return d;
}

Drawing drawGeneral(IconName name)
{
    Drawing d;
    QPainterPath &s = d.stroke;
    switch (name) {
    case IconName::Check:
        line(s, {{5, 12.5}, {10, 17.5}, {19, 7}});
        break;
    case IconName::Close:
        line(s, {{6, 6}, {18, 18}});
        line(s, {{18, 6}, {6, 18}});
        break;
    case IconName::Plus:
        line(s, {{12, 5}, {12, 19}});
        line(s, {{5, 12}, {19, 12}});
        break;
    case IconName::Minus:
        line(s, {{5, 12}, {19, 12}});
        break;
    case IconName::Previous:
        line(s, {{14.5, 6}, {8.5, 12}, {14.5, 18}});
        break;
    case IconName::Next:
    case IconName::ChevronRight:
        if (QGuiApplication::isRightToLeft()) // to where one reads on
            line(s, {{14.5, 6}, {8.5, 12}, {14.5, 18}});
        else
            line(s, {{9.5, 6}, {15.5, 12}, {9.5, 18}});
        break;
    case IconName::ChevronDown:
        line(s, {{6, 9.5}, {12, 15.5}, {18, 9.5}});
        break;
    case IconName::ArrowDown:
        line(s, {{12, 5}, {12, 18.5}});
        line(s, {{6, 12.5}, {12, 18.5}, {18, 12.5}});
        break;
    case IconName::Folder:
        line(s,
             {{3.5, 18.5}, {3.5, 5.5}, {9, 5.5}, {11.2, 8}, {20.5, 8}, {20.5, 18.5}, {3.5, 18.5}});
        break;
    case IconName::File:
        line(s, {{13.5, 3.5}, {6, 3.5}, {6, 20.5}, {18, 20.5}, {18, 8}, {13.5, 3.5}});
        line(s, {{13.5, 3.5}, {13.5, 8}, {18, 8}});
        break;
    case IconName::More:
        for (const double x : {5.5, 12.0, 18.5})
            d.fill.addEllipse(QPointF(x, 12), 1.6, 1.6);
        break;
    case IconName::Flame:
        d.fill = flame();
        break;
    default:
        return drawStatus(name);
    }
    return d;
}

QColor tintColor(IconTint tint)
{
    const Theme &theme = Theme::current();
    switch (tint) {
    case IconTint::Muted:
        return theme.muted;
    case IconTint::Accent:
        return theme.accent;
    case IconTint::OnAccent:
        return theme.accentText;
    case IconTint::Error:
        return theme.error;
    case IconTint::Warning:
        return theme.warning;
    case IconTint::Success:
        return theme.success;
    case IconTint::Text:
        break;
    }
    return theme.text;
}

class StrokeIconEngine : public QIconEngine
{
public:
    StrokeIconEngine(IconName name, IconTint tint)
        : m_name(name)
        , m_tint(tint)
    {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const Drawing drawing = drawGeneral(m_name);
        QColor color = tintColor(m_tint);
        if (mode == QIcon::Disabled)
            color = Theme::current().muted,
            color.setAlphaF(Theme::current().highContrast ? 0.65f : 0.5f);
        const double side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.center().x() + 0.5 - side / 2, rect.center().y() + 0.5 - side / 2);
        painter->scale(side / 24, side / 24);
        painter->setPen(QPen(color, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        painter->drawPath(drawing.stroke);
        painter->fillPath(drawing.fill, color);
        painter->restore();
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap result(size);
        result.fill(Qt::transparent);
        QPainter painter(&result);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return result;
    }

    QIconEngine *clone() const override { return new StrokeIconEngine(m_name, m_tint); }

private:
    IconName m_name;
    IconTint m_tint;
};

} // namespace

QIcon icon(IconName name, IconTint tint)
{
    return QIcon(new StrokeIconEngine(name, tint)); // QIcon owns the engine
}

} // namespace fireside
