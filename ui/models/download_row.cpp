#include "ui/models/download_row.h"

#include "ui/models/download_texts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace fireside {
namespace {

using State = DownloadStatus::State;

constexpr int kBarSteps = 1000;

QLabel *addLabel(QVBoxLayout *layout, const char *role, const char *name)
{
    auto *label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setTextFormat(Qt::PlainText); // names come from servers
    label->setWordWrap(true);
    label->setProperty("role", role);
    layout->addWidget(label);
    return label;
}

void setRole(QWidget *widget, const char *role)
{
    if (widget->property("role").toByteArray() == role)
        return;
    widget->setProperty("role", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QString actionText(State state)
{
    switch (state) {
    case State::Done:
        return DownloadRow::tr("&Load");
    case State::Failed:
        return DownloadRow::tr("&Try again");
    case State::Paused:
        return DownloadRow::tr("&Resume");
    default:
        return DownloadRow::tr("&Pause");
    }
}

} // namespace

DownloadRow::DownloadRow(qint64 id, QWidget *parent)
    : QFrame(parent)
    , m_id(id)
{
    setObjectName(QStringLiteral("downloadRow"));
    setProperty("role", "card");
    auto *row = new QHBoxLayout(this);
    auto *column = new QVBoxLayout;
    column->setSpacing(4);
    m_title = addLabel(column, "heading", "downloadTitle");
    m_bar = new QProgressBar;
    m_bar->setObjectName(QStringLiteral("downloadBar"));
    m_bar->setTextVisible(false);
    column->addWidget(m_bar);
    m_text = addLabel(column, "", "downloadText");
    m_details = addLabel(column, "small", "downloadDetails");
    row->addLayout(column, 1);
    const auto addButton = [&](const char *name) {
        auto *button = new QPushButton;
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        row->addWidget(button, 0, Qt::AlignTop);
        return button;
    };
    m_action = addButton("downloadAction");
    m_remove = addButton("downloadRemove");
    connect(m_action, &QPushButton::clicked, this, &DownloadRow::act);
    connect(m_remove, &QPushButton::clicked, this, &DownloadRow::removeRequested);
}

void DownloadRow::act()
{
    if (m_state == State::Done)
        emit loadRequested();
    else if (m_state == State::Failed || m_state == State::Paused)
        emit resumeRequested();
    else
        emit pauseRequested();
}

void DownloadRow::showItem(const DownloadItem &item)
{
    const DownloadStatus &status = item.status;
    m_state = status.state;
    const QString title = item.request.title;
    m_title->setText(title);
    const QString text = downloadState(item);
    m_text->setText(text);
    setRole(m_text, m_state == State::Failed ? "error" : m_state == State::Done ? "success" : "");
    m_details->setText(downloadDetails(item));
    const bool busy = status.bytesTotal <= 0 && m_state == State::Receiving;
    m_bar->setRange(0, busy ? 0 : kBarSteps);
    if (!busy && status.bytesTotal > 0)
        m_bar->setValue(static_cast<int>(kBarSteps * status.bytesDone / status.bytesTotal));
    m_bar->setVisible(m_state != State::Done);
    m_bar->setAccessibleName(tr("Progress of %1").arg(title));
    m_bar->setAccessibleDescription(text);
    m_action->setText(actionText(m_state));
    setRole(m_action, m_state == State::Done ? "primary" : "");
    const bool done = m_state == State::Done;
    m_remove->setText(done ? tr("Re&move from the list") : tr("&Cancel"));
    for (QPushButton *button : {m_action, m_remove}) {
        QString name = button->text();
        button->setAccessibleName(name.remove(QLatin1Char('&')) + QStringLiteral(": ") + title);
    }
}

} // namespace fireside
