#include "ui/transcript/message_toolbar.h"

#include "app/runtime/engine_types.h"
#include "ui/style/icons.h"

#include <QCursor>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QTimer>
#include <QToolButton>

#include <utility>

namespace fireside {

QString replyStatsText(const Message &message)
{
    const QJsonObject &record = message.record;
    const QLocale locale;
    QStringList parts;
    const int tokens = record.value(QLatin1String("generatedTokens")).toInt();
    if (tokens > 0)
        parts += tokens == 1 ? MessageToolbar::tr("1 token")
                             : MessageToolbar::tr("%1 tokens").arg(locale.toString(tokens));
    const double rate =
        writingRate(tokens, record.value(QLatin1String("generateSeconds")).toDouble());
    if (rate > 0)
        parts +=
            MessageToolbar::tr("%1 tokens/s").arg(locale.toString(rate, 'f', rate < 100 ? 1 : 0));
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
    m_continue = addButton(tr("Continue the reply where it broke off"));
    m_continue->setText(tr("Continue"));
    m_previous = addButton(tr("Previous version"));
    m_previous->setIcon(icon(IconName::Previous, IconTint::Muted));
    m_branch = new QLabel;
    m_branch->setProperty("role", "small");
    row->addWidget(m_branch);
    m_next = addButton(tr("Next version"));
    m_next->setIcon(icon(IconName::Next, IconTint::Muted));
    m_details = addButton(tr("How this reply was made"));
    m_details->setObjectName(QStringLiteral("replyDetails"));
    m_details->setIcon(icon(IconName::Info, IconTint::Muted));
    m_stats = new QLabel;
    m_stats->setProperty("role", "small");
    m_stats->setTextFormat(Qt::PlainText);
    m_stats->setAccessibleName(tr("Speed and tokens of this reply"));
    row->addSpacing(6);
    row->addWidget(m_stats);

    connect(m_copy, &QToolButton::clicked, this, &MessageToolbar::copyRequested);
    connect(m_edit, &QToolButton::clicked, this, &MessageToolbar::editRequested);
    connect(m_regenerate, &QToolButton::clicked, this, &MessageToolbar::regenerateRequested);
    connect(m_continue, &QToolButton::clicked, this, &MessageToolbar::continueRequested);
    connect(m_details, &QToolButton::clicked, this, &MessageToolbar::detailsRequested);
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
    m_details->setVisible(allowed.details);
    const bool branches = message.siblingCount > 1;
    m_previous->setVisible(branches);
    m_branch->setVisible(branches);
    m_next->setVisible(branches);
    m_previous->setEnabled(allowed.branches && message.siblingIndex > 0);
    m_next->setEnabled(allowed.branches && message.siblingIndex + 1 < message.siblingCount);
    m_branch->setText(tr("%1 of %2").arg(message.siblingIndex + 1).arg(message.siblingCount));
    const QString stats = allowed.stats ? replyStatsText(message) : QString();
    m_stats->setText(stats);
    m_goesOn = allowed.goOn;
    m_room = -1;
    fitInto(QWIDGETSIZE_MAX);
}

void MessageToolbar::fitInto(int room)
{
    if (std::exchange(m_room, room) == room)
        return;
    m_stats->setVisible(!m_stats->text().isEmpty());
    m_continue->setVisible(m_goesOn);
    layout()->activate();
    for (QWidget *part : {static_cast<QWidget *>(m_stats), static_cast<QWidget *>(m_continue)}) {
        if (sizeHint().width() <= room)
            return;
        part->hide();
        layout()->activate();
    }
}

void MessageToolbar::forgetPointer()
{
    for (QToolButton *button : findChildren<QToolButton *>()) {
        if (button->underMouse() &&
            !button->rect().contains(button->mapFromGlobal(QCursor::pos()))) {
            button->setAttribute(Qt::WA_UnderMouse, false);
            button->update();
        }
    }
}

void MessageToolbar::showCopied()
{
    m_copy->setIcon(icon(IconName::Check, IconTint::Success));
    QTimer::singleShot(1500, m_copy,
                       [this] { m_copy->setIcon(icon(IconName::Copy, IconTint::Muted)); });
}

} // namespace fireside
