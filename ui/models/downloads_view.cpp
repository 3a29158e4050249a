#include "ui/models/downloads_view.h"

#include "app/downloads/download_list.h"
#include "ui/backend/number_text.h"
#include "ui/models/download_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

using State = DownloadStatus::State;

DownloadsView::DownloadsView(DownloadList &downloads, QWidget *parent)
    : QWidget(parent)
    , m_downloads(downloads)
{
    auto *layout = new QVBoxLayout(this);
    m_empty =
        new QLabel(tr("Nothing is being downloaded. “Get models” has models to choose from."));
    m_empty->setObjectName(QStringLiteral("downloadsEmpty"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setProperty("role", "muted");
    layout->addWidget(m_empty, 1);

    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName(QStringLiteral("downloadList"));
    m_scroll->setAccessibleName(tr("Downloads"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget;
    m_list = new QVBoxLayout(content);
    m_list->setContentsMargins(0, 0, 4, 0);
    m_list->addStretch(1);
    m_scroll->setWidget(content);
    layout->addWidget(m_scroll, 1);
    m_problem = new QLabel(this);
    m_problem->setProperty("role", "warning");
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    layout->addWidget(m_problem);

    auto *buttons = new QHBoxLayout;
    m_removeDone = new QPushButton(tr("Remove those that are &done"), this);
    m_removeDone->setObjectName(QStringLiteral("downloadsRemoveDone"));
    m_removeDone->setToolTip(tr("The models stay where they are"));
    m_close = new QPushButton(tr("Close"), this);
    m_close->setObjectName(QStringLiteral("downloadsClose"));
    for (QPushButton *button : {m_removeDone, m_close})
        button->setAutoDefault(false);
    buttons->addWidget(m_removeDone);
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    layout->addLayout(buttons);
    connect(m_removeDone, &QPushButton::clicked, this, &DownloadsView::removeDone);
    connect(m_close, &QPushButton::clicked, this, &DownloadsView::closed);
    connect(&downloads, &DownloadList::listChanged, this, &DownloadsView::rebuild);
    connect(&downloads, &DownloadList::statusChanged, this, &DownloadsView::refresh);
    rebuild();
}

int DownloadsView::count() const
{
    const QList<DownloadItem> &items = m_downloads.items();
    return static_cast<int>(std::count_if(items.begin(), items.end(), [](const DownloadItem &item) {
        return item.status.state != State::Done;
    }));
}

void DownloadsView::focusFirst()
{
    const QList<DownloadItem> &items = m_downloads.items();
    if (DownloadRow *row = items.isEmpty() ? nullptr : m_rows.value(items.first().id))
        row->action()->setFocus();
    else
        m_close->setFocus();
}

/// What stays keeps its row, and the keyboard.
void DownloadsView::rebuild()
{
    const QList<DownloadItem> &items = m_downloads.items();
    const QList<qint64> shown = m_rows.keys();
    for (const qint64 id : shown) {
        if (!m_downloads.find(id))
            m_rows.take(id)->deleteLater();
    }
    for (int place = 0; place < items.size(); ++place) {
        DownloadRow *&row = m_rows[items[place].id];
        if (!row) {
            row = makeRow(items[place].id);
            m_list->insertWidget(m_list->count() - 1, row); // before the stretch
        }
        row->showItem(items[place]);
    }
    m_empty->setVisible(items.isEmpty());
    m_scroll->setVisible(!items.isEmpty());
    showCount();
}

DownloadRow *DownloadsView::makeRow(qint64 id)
{
    auto *row = new DownloadRow(id);
    connect(row, &DownloadRow::pauseRequested, this, [this, id] { m_downloads.pause(id); });
    connect(row, &DownloadRow::resumeRequested, this, [this, id] { m_downloads.resume(id); });
    connect(row, &DownloadRow::removeRequested, this, [this, id] { askToRemove(id); });
    connect(row, &DownloadRow::loadRequested, this, [this, id] {
        if (const DownloadItem *item = m_downloads.find(id))
            emit loadRequested(modelPathOf(item->request));
    });
    return row;
}

void DownloadsView::refresh(qint64 id)
{
    const DownloadItem *item = m_downloads.find(id);
    if (DownloadRow *row = m_rows.value(id); row && item)
        row->showItem(*item);
    showCount();
}

void DownloadsView::showCount()
{
    const int waiting = count();
    m_removeDone->setEnabled(waiting < m_downloads.items().size());
    const QString problem = m_downloads.problem();
    m_problem->setText(tr("This list cannot be remembered: %1").arg(problem));
    m_problem->setVisible(!problem.isEmpty());
    emit countChanged(waiting);
}

void DownloadsView::askToRemove(qint64 id)
{
    const DownloadItem *item = m_downloads.find(id);
    if (!item)
        return;
    if (item->status.state == State::Done || item->status.bytesDone <= 0)
        return m_downloads.remove(id);
    auto *box = new QMessageBox(QMessageBox::Question, tr("Cancel the download"),
                                tr("Cancel the download of “%1”?").arg(item->request.title),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(QStringLiteral("downloadCancelQuestion"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(tr("%1 of it are here, and are deleted. “Pause” keeps them.")
                                .arg(bytesText(item->status.bytesDone)));
    QPushButton *yes = box->addButton(tr("Cancel the download"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Go on"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, [this, id] { m_downloads.remove(id); });
    box->open();
}

void DownloadsView::removeDone()
{
    const QList<DownloadItem> items = m_downloads.items();
    for (const DownloadItem &item : items) {
        if (item.status.state == State::Done)
            m_downloads.remove(item.id);
    }
}

} // namespace fireside
