#include "ui/backend/meter_bar.h"

#include "ui/style/theme.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kBarHeight = 5;
constexpr int kGap = 3;
constexpr int kSteps = 1000; // of the value that assistive technology sees

QColor fillColor(MeterBar::Level level)
{
    const Theme &theme = Theme::current();
    switch (level) {
    case MeterBar::Level::Warning:
        return theme.warning;
    case MeterBar::Level::Critical:
        return theme.error;
    case MeterBar::Level::Normal:
        break;
    }
    return theme.accent;
}

} // namespace

MeterBar::MeterBar(const QString &caption, QWidget *parent)
    : QProgressBar(parent)
    , m_caption(caption)
{
    setRange(0, kSteps);
    setValue(0);
    setAccessibleName(caption);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    // Ordinary progress bars are only as high as their line; this one has its text above.
    setStyleSheet(QStringLiteral("QProgressBar { min-height: 0; max-height: 1000px; }"));
}

void MeterBar::setAmounts(qint64 used, qint64 total, qint64 mark)
{
    const auto part = [total](qint64 amount) {
        return std::clamp(static_cast<double>(amount) / static_cast<double>(total), 0.0, 1.0);
    };
    m_fraction = total > 0 ? part(used) : 0;
    m_mark = total > 0 && mark >= 0 ? part(mark) : -1;
    setValue(static_cast<int>(m_fraction * kSteps));
    update();
}

void MeterBar::setTexts(const QString &text, const QString &explanation)
{
    if (m_text.size() != text.size())
        updateGeometry();
    m_text = text;
    setToolTip(explanation);
    setAccessibleName(QStringLiteral("%1: %2").arg(m_caption, text));
    setAccessibleDescription(explanation);
    update();
}

void MeterBar::setLevel(Level level)
{
    m_level = level;
    update();
}

QSize MeterBar::sizeHint() const
{
    const int text = fontMetrics().horizontalAdvance(m_caption + QStringLiteral("   ") + m_text);
    return {std::max(text, fontMetrics().averageCharWidth() * 20),
            fontMetrics().height() + kGap + kBarHeight + 2};
}

void MeterBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);

    const QRect line(0, 0, width(), fontMetrics().height());
    const Qt::Alignment left = QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft);
    const Qt::Alignment right = QStyle::visualAlignment(layoutDirection(), Qt::AlignRight);
    painter.setPen(theme.muted);
    painter.drawText(line, int(left | Qt::AlignVCenter), m_caption);
    painter.setPen(m_level == Level::Normal ? theme.text : fillColor(m_level));
    painter.drawText(line, int(right | Qt::AlignVCenter), m_text);

    const QRectF track(0, line.bottom() + 1 + kGap, width(), kBarHeight);
    // With high contrast borders are as strong as what fills the bar: an outline then.
    painter.setPen(theme.highContrast ? QPen(theme.border, 1) : QPen(Qt::NoPen));
    painter.setBrush(theme.highContrast ? theme.sunken : theme.border);
    const QRectF shape = theme.highContrast ? track.adjusted(0.5, 0.5, -0.5, -0.5) : track;
    painter.drawRoundedRect(shape, kBarHeight / 2.0, kBarHeight / 2.0);
    painter.setPen(Qt::NoPen);

    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    if (m_fraction > 0) {
        QRectF filled = track;
        filled.setWidth(std::max<double>(kBarHeight, track.width() * m_fraction));
        if (mirrored)
            filled.moveRight(track.right());
        painter.setBrush(fillColor(m_level));
        painter.drawRoundedRect(filled, kBarHeight / 2.0, kBarHeight / 2.0);
    }
    if (m_mark >= 0) {
        const double at =
            std::clamp(track.width() * (mirrored ? 1 - m_mark : m_mark), 1.0, track.width() - 1);
        painter.setPen(QPen(theme.text, 1.5));
        painter.drawLine(QPointF(at, track.top() - 1.5), QPointF(at, track.bottom() + 1.5));
    }
}

} // namespace fireside
