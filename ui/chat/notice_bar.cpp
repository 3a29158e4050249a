#include "ui/chat/notice_bar.h"

#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace fireside {

namespace {

/// One notice; paints its own card so that it follows the theme.
class NoticeRow : public QWidget
{
public:
    NoticeRow(NoticeBar::Kind kind, const QString &text)
        : m_kind(kind)
    {
        auto *row = new QHBoxLayout(this);
        row->setContentsMargins(12, 8, 8, 8);
        row->setSpacing(10);
        auto *mark = new QLabel;
        const IconName name = kind == NoticeBar::Kind::Error     ? IconName::Error
                              : kind == NoticeBar::Kind::Warning ? IconName::Warning
                                                                 : IconName::Info;
        const IconTint tint = kind == NoticeBar::Kind::Error     ? IconTint::Error
                              : kind == NoticeBar::Kind::Warning ? IconTint::Warning
                                                                 : IconTint::Muted;
        mark->setPixmap(icon(name, tint).pixmap(QSize(18, 18), devicePixelRatioF()));
        row->addWidget(mark);
        m_label = new QLabel(text);
        m_label->setTextFormat(Qt::PlainText); // may quote a file's or the system's words
        m_label->setWordWrap(true);
        m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        m_label->setFocusPolicy(Qt::ClickFocus);
        row->addWidget(m_label, 1);
        setAccessibleName(text);
    }
    QString text() const { return m_label->text(); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme.highContrast ? theme.text : theme.border);
        painter.setBrush(m_kind == NoticeBar::Kind::Error     ? theme.errorSurface
                         : m_kind == NoticeBar::Kind::Warning ? theme.warningSurface
                                                              : theme.infoSurface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kRadius,
                                Theme::kRadius);
    }

private:
    NoticeBar::Kind m_kind;
    QLabel *m_label;
};

} // namespace

NoticeBar::NoticeBar(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_column = new QVBoxLayout(this);
    m_column->setContentsMargins(16, 12, 16, 4);
    m_column->setSpacing(6);
    setAccessibleName(tr("Notices"));
    hide();
}

void NoticeBar::show(const QString &topic, Kind kind, const QString &text,
                     const QString &actionText, std::function<void()> action)
{
    dismiss(topic);
    auto *notice = new NoticeRow(kind, text);
    auto *layout = static_cast<QHBoxLayout *>(notice->layout());
    if (!actionText.isEmpty()) {
        auto *button = new QPushButton(actionText);
        connect(button, &QPushButton::clicked, this, [this, topic, action = std::move(action)] {
            dismiss(topic);
            action();
        });
        layout->addWidget(button);
    }
    auto *close = new QToolButton;
    close->setIcon(icon(IconName::Close, IconTint::Muted));
    close->setIconSize(QSize(14, 14));
    close->setToolTip(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss this notice"));
    connect(close, &QToolButton::clicked, this, [this, topic] { dismiss(topic); });
    layout->addWidget(close);
    m_column->addWidget(notice);
    m_rows.insert(topic, notice);
    QWidget::show();
    QAccessibleEvent event(notice, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void NoticeBar::dismiss(const QString &topic)
{
    if (QWidget *row = m_rows.take(topic)) {
        m_column->removeWidget(row);
        row->hide();
        row->deleteLater(); // one of its own buttons may be calling
    }
    setVisible(!m_rows.isEmpty());
}

QString NoticeBar::textOf(const QString &topic) const
{
    const auto *row = static_cast<const NoticeRow *>(m_rows.value(topic));
    return row ? row->text() : QString();
}

} // namespace fireside
