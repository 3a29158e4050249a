#pragma once
#include "app/downloads/download_list.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace fireside {

/// One download: how far it is, and what can be done about it.
class DownloadRow : public QFrame
{
    Q_OBJECT
public:
    explicit DownloadRow(qint64 id, QWidget *parent = nullptr);

    qint64 id() const { return m_id; }
    void showItem(const DownloadItem &item);
    QPushButton *action() const { return m_action; }

signals:
    void pauseRequested();
    void resumeRequested();
    void loadRequested();
    void removeRequested();

private:
    void act();

    const qint64 m_id;
    DownloadStatus::State m_state = DownloadStatus::State::Queued;
    QLabel *m_title, *m_text, *m_details;
    QProgressBar *m_bar;
    QPushButton *m_action, *m_remove;
};

} // namespace fireside
