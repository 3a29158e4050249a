#pragma once
#include <QWidget>

class QPushButton;

namespace fireside {

class Network;

/// In the status panel: that the program is offline, and how far downloads are. Nothing else: then
/// it takes no room.
class NetworkStatus : public QWidget
{
    Q_OBJECT
public:
    explicit NetworkStatus(Network &network, QWidget *parent = nullptr);

signals:
    void privacyRequested();
    void downloadsRequested();

private:
    void refresh();

    Network &m_network;
    QPushButton *m_offline;
    QPushButton *m_downloads;
};

} // namespace fireside
