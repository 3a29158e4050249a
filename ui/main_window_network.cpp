// What the window does about downloads, connections and links.
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/settings/app_settings.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/link_dialog.h"
#include "ui/chat/notice_bar.h"
#include "ui/main_window.h"

#include <algorithm>

namespace fireside {

void MainWindow::connectNetwork()
{
    connect(m_panel, &ChatPanel::linkActivated, this, [this](const QString &address) {
        askToOpenLink(this, address, m_network.connections());
    });
    DownloadList &downloads = m_network.downloads();
    connect(&downloads, &DownloadList::finished, this, [this, &downloads](qint64 id) {
        m_library.lookAgain();
        const DownloadItem *item = downloads.find(id);
        const QString path = item ? modelPathOf(item->request) : QString();
        const QString topic = QStringLiteral("download %1").arg(id);
        NoticeBar *notices = m_panel->notices();
        notices->show(topic, NoticeBar::Kind::Info,
                      tr("“%1” has been downloaded.").arg(item ? item->request.title : path),
                      tr("Load"), [this, notices, topic, path] {
                          notices->dismiss(topic);
                          load(path, m_settings.loadOf(path));
                      });
    });
    connect(&downloads, &DownloadList::statusChanged, this, [this, &downloads](qint64 id) {
        const DownloadItem *item = downloads.find(id);
        const QString topic = QStringLiteral("download %1").arg(id);
        NoticeBar *notices = m_panel->notices();
        if (!item || item->status.state != DownloadStatus::State::Failed) {
            if (item && item->status.state != DownloadStatus::State::Done)
                notices->dismiss(topic);
            return;
        }
        notices->show(
            topic, NoticeBar::Kind::Error,
            tr("“%1” could not be downloaded: %2").arg(item->request.title, item->status.problem),
            tr("Downloads"), [this] { showDownloads(); });
    });
}

/// Where there are none besides the starter, to where they are to be had.
void MainWindow::addModel()
{
    const QList<ModelEntry> &known = m_library.entries();
    const bool any = std::any_of(known.begin(), known.end(), [](const ModelEntry &entry) {
        return !entry.builtIn && entry.problem.isEmpty();
    });
    if (any)
        showModels();
    else
        getModels();
}

} // namespace fireside
