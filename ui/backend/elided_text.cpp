#include "ui/backend/elided_text.h"

#include "ui/style/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QTextLayout>
#include <QToolTip>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kPadding = 6;
constexpr int kElidedIconSize = 16;

// Only what is cut needs a tooltip.
bool showTooltip(QEvent *event, QWidget *widget, const QString &text, bool cut)
{
    if (event->type() != QEvent::ToolTip)
        return false;
    if (cut)
        QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(),
                           QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped()), widget);
    else
        QToolTip::hideText();
    return true;
}

} // namespace

ElidedButton::ElidedButton(QWidget *parent)
    : QPushButton(parent)
{
    setFlat(true);
    setAutoDefault(false);
    setCursor(Qt::PointingHandCursor);
    setIconSize({kElidedIconSize, kElidedIconSize});
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

void ElidedButton::setFullText(const QString &text, const QString &what)
{
    m_text = text;
    setAccessibleName(what.isEmpty() ? text : QStringLiteral("%1: %2").arg(what, text));
    fitHeight();
    updateGeometry();
    update();
}

void ElidedButton::setMaximumLines(int lines)
{
    m_maximumLines = lines;
    fitHeight();
}

/// The layout gives the width, whatever the height; layouts within layouts lose count of heights
/// that depend on widths.
void ElidedButton::fitHeight()
{
    if (m_maximumLines > 1)
        setFixedHeight(heightOf(int(linesIn(textRect().width()).size())));
}

void ElidedButton::resizeEvent(QResizeEvent *event)
{
    QPushButton::resizeEvent(event);
    fitHeight();
}

void ElidedButton::changeEvent(QEvent *event)
{
    QPushButton::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitHeight();
}

/// The text as lines of this width, at least one; the last one that may be is cut.
QStringList ElidedButton::linesIn(int width) const
{
    QStringList lines;
    QTextLayout layout(m_text, font());
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(std::max(1, width));
        const bool last = lines.size() + 1 == m_maximumLines;
        const QString text = m_text.mid(line.textStart(), last ? -1 : line.textLength());
        lines.append(last ? fontMetrics().elidedText(text, Qt::ElideRight, width) : text.trimmed());
        if (last)
            break;
    }
    layout.endLayout();
    return lines.isEmpty() ? QStringList(QString()) : lines;
}

int ElidedButton::heightOf(int lines) const
{
    return std::max(fontMetrics().lineSpacing() * (lines - 1) + fontMetrics().height(),
                    kElidedIconSize) +
           kPadding;
}

QRect ElidedButton::textRect() const
{
    const int left = icon().isNull() ? kPadding : kPadding + kElidedIconSize + kPadding;
    return QStyle::visualRect(layoutDirection(), rect(), rect().adjusted(left, 0, -kPadding, 0));
}

QSize ElidedButton::sizeHint() const
{
    const int icons = icon().isNull() ? 0 : kElidedIconSize + kPadding;
    return {fontMetrics().horizontalAdvance(m_text) + 2 * kPadding + icons + 1, heightOf(1)};
}

QSize ElidedButton::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 12),
            sizeHint().height()};
}

bool ElidedButton::event(QEvent *event)
{
    const bool cut = event->type() == QEvent::ToolTip &&
                     linesIn(textRect().width()).last().endsWith(QChar(0x2026));
    return showTooltip(event, this, m_text, cut) || QPushButton::event(event);
}

void ElidedButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (isEnabled() && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.hover);
        painter.drawRoundedRect(frame, 5, 5);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    }
    if (!icon().isNull()) {
        const QRect place(kPadding, (height() - kElidedIconSize) / 2, kElidedIconSize,
                          kElidedIconSize);
        icon().paint(&painter, QStyle::visualRect(layoutDirection(), rect(), place));
    }
    const QRect place = textRect();
    painter.setPen(m_color.isValid() ? m_color : theme.text);
    painter.drawText(
        place, int(Qt::AlignVCenter | QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
        linesIn(place.width()).join(QLatin1Char('\n')));
}

ElidedLabel::ElidedLabel(QWidget *parent)
    : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 12),
            sizeHint().height()};
}

bool ElidedLabel::event(QEvent *event)
{
    const bool cut = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
    return showTooltip(event, this, text(), cut) || QLabel::event(event);
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), int(QStyle::visualAlignment(layoutDirection(), alignment())),
                     fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

} // namespace fireside
