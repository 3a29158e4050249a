#include "ui/chat/queued_message.h"

#include "ui/backend/elided_text.h"
#include "ui/style/icons.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace fireside {

QueuedMessage::QueuedMessage(QWidget *parent)
    : QFrame(parent)
{
    setProperty("role", "sunken");
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 4, 2);
    row->setSpacing(6);
    auto *what = new QLabel(tr("Next:"));
    what->setProperty("role", "muted");
    m_text = new ElidedLabel(this);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(what);
    row->addWidget(m_text, 1);
    const auto button = [&](IconName name, const QString &text, auto signal) {
        auto *made = new QToolButton;
        made->setIcon(icon(name, IconTint::Muted));
        made->setIconSize(QSize(14, 14));
        made->setToolTip(text);
        made->setAccessibleName(text);
        connect(made, &QToolButton::clicked, this, signal);
        row->addWidget(made);
    };
    button(IconName::Edit, tr("Edit the queued message"), &QueuedMessage::editRequested);
    button(IconName::Close, tr("Do not send the queued message"), &QueuedMessage::removeRequested);
    hide();
}

void QueuedMessage::setText(const QString &text)
{
    const QString line = text.left(400).simplified();
    m_text->setText(line);
    setAccessibleName(tr("Queued message: %1").arg(line));
    setVisible(!text.isEmpty());
}

} // namespace fireside
