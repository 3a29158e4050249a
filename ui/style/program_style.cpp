#include "ui/style/program_style.h"

#include "ui/style/theme.h"

#include <QGuiApplication>
#include <QPainter>
#include <QStyleOption>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kPadding = 4; // px: beside a value, more than Fusion's, as the style sheet's fields

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

/// An arrow of two strokes, in the middle of its place.
void drawArrow(QPainter *painter, const QRectF &place, bool up, bool enabled)
{
    constexpr double kHalf = 4;              // px
    const double rise = up ? kHalf : -kHalf; // of the arrow's ends below its tip
    const QPointF tip = place.center() - QPointF(0, rise / 2);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setOpacity(enabled ? 1 : 0.4);
    painter->setPen(QPen(Theme::current().muted, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(QPolygonF{tip + QPointF(-kHalf, rise), tip, tip + QPointF(kHalf, rise)});
    painter->restore();
}

/// What stands around a value that is chosen: as the style sheet draws fields of text.
void drawField(QPainter *painter, const QStyleOption &option, const QColor &ground)
{
    constexpr double kRounding = 7; // px
    const bool focused = option.state & QStyle::State_HasFocus;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(focused ? Theme::current().accent : Theme::current().border);
    painter->setBrush(ground);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), kRounding,
                             kRounding);
}

bool isValue(QStyle::ComplexControl control, QStyle::SubControl part)
{
    return (control == QStyle::CC_ComboBox && part == QStyle::SC_ComboBoxEditField) ||
           (control == QStyle::CC_SpinBox && part == QStyle::SC_SpinBoxEditField);
}

} // namespace

ProgramStyle::ProgramStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{}

void ProgramStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                                 QPainter *painter, const QWidget *widget) const
{
    if (element == PE_IndicatorArrowUp || element == PE_IndicatorArrowDown) {
        drawArrow(painter, option->rect, element == PE_IndicatorArrowUp,
                  option->state & State_Enabled);
        return;
    }
    const bool round = element == PE_IndicatorRadioButton;
    if (!round && element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck)
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
    const double rounding = round ? side / 2 : 3;
    painter->drawRoundedRect(box, rounding, rounding);
    if (round && filled) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.accentText);
        painter->drawEllipse(box.center(), side / 5, side / 5);
    } else if (!round) {
        drawTick(painter, box, option->state, theme.accentText);
    }
    painter->restore();
}

void ProgramStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                                      QPainter *painter, const QWidget *widget) const
{
    const Theme &theme = Theme::current();
    const bool enabled = option->state & State_Enabled;
    const bool over = enabled && (option->state & State_MouseOver);
    const auto place = [&](SubControl part) {
        return QRectF(proxy()->subControlRect(control, option, part, widget));
    };
    painter->save();
    if (const auto *choice = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
        if (choice->frame)
            drawField(painter, *option, over ? theme.hover : theme.surface);
        drawArrow(painter, place(SC_ComboBoxArrow), false, enabled);
    } else if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option)) {
        if (spin->frame)
            drawField(painter, *option, theme.surface);
        const bool up = spin->stepEnabled & QAbstractSpinBox::StepUpEnabled;
        const bool down = spin->stepEnabled & QAbstractSpinBox::StepDownEnabled;
        for (const auto &[part, can] :
             {std::pair(SC_SpinBoxUp, up), std::pair(SC_SpinBoxDown, down)}) {
            if (over && can && option->activeSubControls == part) {
                painter->setPen(Qt::NoPen);
                painter->setBrush(option->state & State_Sunken ? theme.selected : theme.hover);
                painter->drawRoundedRect(place(part), 3, 3);
            }
            drawArrow(painter, place(part), part == SC_SpinBoxUp, enabled && can);
        }
    } else {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
    painter->restore();
}

QRect ProgramStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option,
                                   SubControl part, const QWidget *widget) const
{
    const QRect place = QProxyStyle::subControlRect(control, option, part, widget);
    if (!isValue(control, part))
        return place;
    const bool leftwards = option->direction == Qt::RightToLeft;
    return place.adjusted(leftwards ? 0 : kPadding, 0, leftwards ? -kPadding : 0, 0);
}

QSize ProgramStyle::sizeFromContents(ContentsType type, const QStyleOption *option,
                                     const QSize &contents, const QWidget *widget) const
{
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    return type == CT_ComboBox ? size + QSize(kPadding, 0) : size;
}

int ProgramStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                            QStyleHintReturn *returned) const
{
    if (hint == SH_UnderlineShortcut && QGuiApplication::isRightToLeft())
        return 0;
    if (hint == SH_ComboBox_Popup)
        return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

} // namespace fireside
