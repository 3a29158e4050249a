#include "ui/chat/notice_bar.h"

#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kMarkSize = 18, kMarginX = 16;
constexpr int kNarrow = 620; // px; below it the buttons stand under the text

std::pair<IconName, IconTint> markOf(NoticeBar::Kind kind)
{
    switch (kind) {
    case NoticeBar::Kind::Error:
        return {IconName::Error, IconTint::Error};
    case NoticeBar::Kind::Warning:
        return {IconName::Warning, IconTint::Warning};
    case NoticeBar::Kind::Info:
        break;
    }
    return {IconName::Info, IconTint::Muted};
}

} // namespace

NoticeBar::NoticeBar(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_column = new QVBoxLayout(this);
    m_column->setContentsMargins(kMarginX + 12, 16, kMarginX + 8, 10);
    m_column->setSpacing(4);
    m_row = new QHBoxLayout;
    m_row->setSpacing(10);
    m_mark = new QLabel;
    m_mark->setFixedSize(kMarkSize, kMarkSize);
    m_text = new QLabel;
    m_text->setTextFormat(Qt::PlainText); // may quote a file's or the system's words
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    standAtStart(*m_text);
    m_text->setFocusPolicy(Qt::ClickFocus);
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setProperty("role", "bare");
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_text);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_text->setAutoFillBackground(false);
    m_row->addWidget(m_mark, 0, Qt::AlignVCenter);
    m_row->addWidget(m_scroll, 1);
    m_column->addLayout(m_row);
    m_buttons = buildButtons();
    m_row->addWidget(m_buttons, 0, Qt::AlignTop);
    setAccessibleName(tr("Notices"));
    hide();
}

QToolButton *NoticeBar::addButton(const QString &name)
{
    auto *button = new QToolButton;
    button->setIconSize(QSize(14, 14));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

QWidget *NoticeBar::buildButtons()
{
    auto *buttons = new QWidget;
    auto *row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    m_action = new QPushButton;
    m_older = addButton(tr("Older notice"));
    m_older->setIcon(icon(IconName::Previous, IconTint::Muted));
    m_count = new QLabel;
    m_count->setProperty("role", "small");
    m_newer = addButton(tr("Newer notice"));
    m_newer->setIcon(icon(IconName::Next, IconTint::Muted));
    m_close = addButton(tr("Dismiss this notice"));
    m_close->setIcon(icon(IconName::Close, IconTint::Muted));
    row->addStretch(1);
    for (QWidget *widget :
         std::initializer_list<QWidget *>{m_action, m_older, m_count, m_newer, m_close})
        row->addWidget(widget);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const Notice notice = m_notices.value(m_shown);
        dismiss(notice.topic);
        if (notice.action)
            notice.action();
    });
    connect(m_older, &QToolButton::clicked, this, [this] {
        --m_shown;
        refresh();
    });
    connect(m_newer, &QToolButton::clicked, this, [this] {
        ++m_shown;
        refresh();
    });
    connect(m_close, &QToolButton::clicked, this, [this] { dismiss(shownTopic()); });
    return buttons;
}

qsizetype NoticeBar::indexOf(const QString &topic) const
{
    for (qsizetype i = 0; i < m_notices.size(); ++i) {
        if (m_notices[i].topic == topic)
            return i;
    }
    return -1;
}

void NoticeBar::show(const QString &topic, Kind kind, const QString &text,
                     const QString &actionText, std::function<void()> action)
{
    if (const qsizetype old = indexOf(topic); old >= 0)
        m_notices.removeAt(old);
    m_notices.append({topic, kind, text, actionText, std::move(action)});
    m_shown = m_notices.size() - 1;
    refresh();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void NoticeBar::dismiss(const QString &topic)
{
    const qsizetype index = indexOf(topic);
    if (index < 0)
        return;
    m_notices.removeAt(index);
    if (m_shown > index || m_shown == m_notices.size())
        --m_shown;
    refresh();
}

void NoticeBar::refresh()
{
    setVisible(!m_notices.isEmpty());
    if (m_notices.isEmpty())
        return;
    const Notice &notice = m_notices.at(m_shown);
    const auto [name, tint] = markOf(notice.kind);
    m_mark->setPixmap(icon(name, tint).pixmap(QSize(kMarkSize, kMarkSize), devicePixelRatioF()));
    m_text->setText(notice.text);
    setAccessibleDescription(notice.text);
    m_action->setText(notice.actionText);
    m_action->setVisible(!notice.actionText.isEmpty());
    const bool several = m_notices.size() > 1;
    for (QWidget *widget : std::initializer_list<QWidget *>{m_older, m_count, m_newer})
        widget->setVisible(several);
    m_older->setEnabled(m_shown > 0);
    m_newer->setEnabled(m_shown + 1 < m_notices.size());
    m_count->setText(tr("%1 of %2").arg(m_shown + 1).arg(m_notices.size()));
    fitText();
    update();
}

/// A wrapping text's height follows from its width, which layouts within layouts lose.
void NoticeBar::fitText()
{
    const bool below = width() < kNarrow && (m_action->isVisibleTo(this) || m_notices.size() > 1);
    QBoxLayout *home = below ? static_cast<QBoxLayout *>(m_column) : m_row;
    if (home->indexOf(m_buttons) < 0) {
        m_row->removeWidget(m_buttons);
        m_column->removeWidget(m_buttons);
        home->addWidget(m_buttons, 0, below ? Qt::Alignment() : Qt::AlignTop);
    }
    const QMargins margins = m_column->contentsMargins();
    int room = width() - margins.left() - margins.right() - kMarkSize - m_row->spacing();
    if (!below)
        room -= m_buttons->sizeHint().width() + m_row->spacing();
    const int line = m_text->fontMetrics().lineSpacing();
    const int height = m_text->heightForWidth(std::max(room, 40));
    m_scroll->setFixedHeight(std::clamp(height, line, kMostLines * line + line / 4));
}

QString NoticeBar::textOf(const QString &topic) const
{
    const qsizetype index = indexOf(topic);
    return index < 0 ? QString() : m_notices[index].text;
}

QString NoticeBar::shownTopic() const
{
    return m_notices.value(m_shown).topic;
}

void NoticeBar::resizeEvent(QResizeEvent *)
{
    if (!m_notices.isEmpty())
        fitText();
}

void NoticeBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::PaletteChange)
        refresh();
}

void NoticeBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    const Kind kind = m_notices.value(m_shown).kind;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.highContrast ? theme.text : theme.border);
    painter.setBrush(kind == Kind::Error     ? theme.errorSurface
                     : kind == Kind::Warning ? theme.warningSurface
                                             : theme.infoSurface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(kMarginX + 0.5, 8.5, -kMarginX - 0.5, -4.5),
                            Theme::kRadius, Theme::kRadius);
}

} // namespace fireside
