#include "ui/transcript/message_toolbar.h"

#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QTimer>
#include <QToolButton>

namespace fireside {

QString replyStatsText(const Message &message)
{
    const QJsonObject &record = message.record;
    const QLocale locale;
    QStringList parts;
    const int tokens = record.value(QLatin1String("generatedTokens")).toInt();
    if (tokens > 0)
        parts += tokens == 1 ? QWidget::tr("1 token")
                             : QWidget::tr("%1 tokens").arg(locale.toString(tokens));
    const double seconds = record.value(QLatin1String("generateSeconds")).toDouble();
    const double rate = seconds > 0 ? tokens / seconds : 0;
    if (rate > 0)
        parts += QWidget::tr("%1 tokens/s").arg(locale.toString(rate, 'f', rate < 100 ? 1 : 0));
    const QString device = record.value(QLatin1String("device")).toString();
    if (!device.isEmpty())
        parts += device;
    return parts.join(QStringLiteral(" · "));
}

MessageToolbar::MessageToolbar(QWidget *parent)
    : QWidget(parent)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 2, 0, 2);
    row->setSpacing(2);
    m_copy = addButton(tr("Copy message"));
    m_copy->setIcon(icon(IconName::Copy, IconTint::Muted));
    m_edit = addButton(tr("Edit message"));
    m_edit->setIcon(icon(IconName::Edit, IconTint::Muted));
    m_regenerate = addButton(tr("Regenerate reply"));
    m_regenerate->setIcon(icon(IconName::Regenerate, IconTint::Muted));
    m_previous = addButton(tr("Previous version"));
    m_previous->setIcon(icon(IconName::Previous, IconTint::Muted));
    m_branch = new QLabel;
    m_branch->setProperty("role", "muted");
    row->addWidget(m_branch);
    m_next = addButton(tr("Next version"));
    m_next->setIcon(icon(IconName::Next, IconTint::Muted));
    m_stats = new QLabel;
    m_stats->setProperty("role", "muted");
    m_stats->setTextFormat(Qt::PlainText);
    m_stats->setAccessibleName(tr("Speed and tokens of this reply"));
    row->addSpacing(6);
    row->addWidget(m_stats);

    connect(m_copy, &QToolButton::clicked, this, &MessageToolbar::copyRequested);
    connect(m_edit, &QToolButton::clicked, this, &MessageToolbar::editRequested);
    connect(m_regenerate, &QToolButton::clicked, this, &MessageToolbar::regenerateRequested);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit siblingRequested(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit siblingRequested(+1); });
}

QToolButton *MessageToolbar::addButton(const QString &name)
{
    auto *button = new QToolButton;
    button->setIconSize(QSize(16, 16));
    button->setToolTip(name);
    button->setAccessibleName(name);
    layout()->addWidget(button);
    return button;
}

void MessageToolbar::showFor(const Message &message, Allowed allowed)
{
    m_edit->setVisible(allowed.edit);
    m_regenerate->setVisible(allowed.regenerate);
    const bool branches = message.siblingCount > 1;
    m_previous->setVisible(branches);
    m_branch->setVisible(branches);
    m_next->setVisible(branches);
    m_previous->setEnabled(allowed.branches && message.siblingIndex > 0);
    m_next->setEnabled(allowed.branches && message.siblingIndex + 1 < message.siblingCount);
    m_branch->setText(tr("%1 of %2").arg(message.siblingIndex + 1).arg(message.siblingCount));
    m_branch->setFont(Theme::font(0.85));
    const QString stats = allowed.stats ? replyStatsText(message) : QString();
    m_stats->setText(stats);
    m_stats->setFont(Theme::font(0.85));
    m_stats->setVisible(!stats.isEmpty());
    layout()->activate();
}

void MessageToolbar::showCopied()
{
    m_copy->setIcon(icon(IconName::Check, IconTint::Success));
    QTimer::singleShot(1500, m_copy,
                       [this] { m_copy->setIcon(icon(IconName::Copy, IconTint::Muted)); });
}

} // namespace fireside
