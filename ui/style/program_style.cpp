#include "ui/style/program_style.h"

#include "ui/style/theme.h"

#include <QGuiApplication>
#include <QPainter>
#include <QStyleOption>

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

constexpr int kFusionDarkens = 140; // %: the window's colour, for outlines

void drawTick(QPainter *painter, const QRectF &box, QStyle::State state, const QColor &colour)
{
    const double side = box.width();
    painter->setPen(QPen(colour, side / 7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) { return box.topLeft() + QPointF(x * side, y * side); };
    if (state & QStyle::State_NoChange)
        painter->drawLine(at(0.25, 0.5), at(0.75, 0.5));
    else if (state & QStyle::State_On)
        painter->drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.72), at(0.77, 0.3)});
}

/// With the theme's border, where it is such a control.
template <typename Control>
std::optional<Control> outlined(const QStyleOptionComplex *option)
{
    const auto *const plain = qstyleoption_cast<const Control *>(option);
    if (!plain)
        return std::nullopt;
    std::optional<Control> control(*plain);
    control->palette.setColor(QPalette::Window, Theme::current().border.lighter(kFusionDarkens));
    return control;
}

} // namespace

ProgramStyle::ProgramStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{}

void ProgramStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                                 QPainter *painter, const QWidget *widget) const
{
    if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck)
        return QProxyStyle::drawPrimitive(element, option, painter, widget);
    const Theme &theme = Theme::current();
    const bool filled = option->state & (State_On | State_NoChange);
    const QRectF place(option->rect);
    const double side = std::min(place.width(), place.height()) - 1;
    const QRectF box(place.center() - QPointF(side, side) / 2, QSizeF(side, side));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (!(option->state & State_Enabled))
        painter->setOpacity(0.5);
    const bool marked = filled || (option->state & State_HasFocus);
    painter->setPen(marked ? theme.accent : theme.muted);
    painter->setBrush(filled ? theme.accent : theme.surface);
    painter->drawRoundedRect(box, 3, 3);
    drawTick(painter, box, option->state, theme.accentText);
    painter->restore();
}

void ProgramStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                                      QPainter *painter, const QWidget *widget) const
{
    const auto spin = outlined<QStyleOptionSpinBox>(option);
    const auto choice = outlined<QStyleOptionComboBox>(option);
    if (spin)
        option = &*spin;
    else if (choice)
        option = &*choice;
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int ProgramStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                            QStyleHintReturn *returned) const
{
    if (hint == SH_UnderlineShortcut && QGuiApplication::isRightToLeft())
        return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

} // namespace fireside
