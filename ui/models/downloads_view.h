#pragma once
#include <QHash>
#include <QWidget>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace fireside {

class DownloadList;
class DownloadRow;

/// The downloads that run, wait, failed or are done.
class DownloadsView : public QWidget
{
    Q_OBJECT
public:
    explicit DownloadsView(DownloadList &downloads, QWidget *parent = nullptr);

    int count() const; // that are not done
    void focusFirst();

signals:
    void loadRequested(const QString &path);
    void countChanged(int count);
    void closed();

private:
    void rebuild();
    void refresh(qint64 id);
    void showCount();
    DownloadRow *makeRow(qint64 id);
    void askToRemove(qint64 id);
    void removeDone();

    DownloadList &m_downloads;
    QHash<qint64, DownloadRow *> m_rows;
    QScrollArea *m_scroll;
    QVBoxLayout *m_list;
    QLabel *m_empty, *m_problem;
    QPushButton *m_removeDone, *m_close;
};

} // namespace fireside
