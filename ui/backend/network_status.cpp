#include "ui/backend/network_status.h"

#include "app/hub/network.h"
#include "ui/style/icons.h"

#include <QHBoxLayout>
#include <QPushButton>

#include <algorithm>

namespace fireside {
namespace {

using State = DownloadStatus::State;

/// Of all that is not over: percent, or −1 where a size is not known yet.
int percentOf(const QList<DownloadItem> &items)
{
    qint64 done = 0, total = 0;
    for (const DownloadItem &item : items) {
        if (item.status.state == State::Done || item.status.state == State::Failed)
            continue;
        if (item.status.bytesTotal < 0)
            return -1;
        done += item.status.bytesDone;
        total += item.status.bytesTotal;
    }
    return total > 0 ? static_cast<int>(100 * done / total) : -1;
}

} // namespace

NetworkStatus::NetworkStatus(Network &network, QWidget *parent)
    : QWidget(parent)
    , m_network(network)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    const auto add = [&](IconName name, IconTint tint, const char *id) {
        auto *button = new QPushButton(icon(name, tint), {}, this);
        button->setObjectName(QLatin1String(id));
        button->setProperty("role", "quiet");
        button->setStyleSheet(QStringLiteral("QPushButton { padding: 0 6px; }"));
        button->setAutoDefault(false);
        layout->addWidget(button);
        return button;
    };
    m_downloads = add(IconName::Download, IconTint::Accent, "statusDownloads");
    m_downloads->setToolTip(tr("Shows the downloads"));
    m_offline = add(IconName::Offline, IconTint::Warning, "statusOffline");
    m_offline->setText(tr("Offline"));
    m_offline->setToolTip(tr("Fireside opens no connection. A click leads to the switch."));
    m_offline->setAccessibleDescription(m_offline->toolTip());
    connect(m_offline, &QPushButton::clicked, this, &NetworkStatus::privacyRequested);
    connect(m_downloads, &QPushButton::clicked, this, &NetworkStatus::downloadsRequested);
    connect(&network, &Network::offlineChanged, this, &NetworkStatus::refresh);
    connect(&network.downloads(), &DownloadList::listChanged, this, &NetworkStatus::refresh);
    connect(&network.downloads(), &DownloadList::statusChanged, this, &NetworkStatus::refresh);
    refresh();
}

void NetworkStatus::refresh()
{
    const QList<DownloadItem> &items = m_network.downloads().items();
    m_offline->setVisible(m_network.offline());
    m_downloads->setVisible(m_network.downloads().running());
    const int percent = percentOf(items);
    m_downloads->setText(percent < 0 ? tr("Downloading") : tr("Downloading: %1 %").arg(percent));
    setVisible(!m_offline->isHidden() || !m_downloads->isHidden());
}

} // namespace fireside
