#pragma once
#include "app/downloads/download_list.h"
#include "app/hub/hub_access.h"
#include "app/network/connections.h"
#include "app/network/network_gate.h"

#include <QObject>

namespace fireside {

/// What the program does over the network, and whether it may: one for the whole program, on the
/// window's thread. Whoever connects takes its gate, or makes one of its connections.
class Network : public QObject
{
    Q_OBJECT
public:
    explicit Network(const DownloadPolicy &policy = {}, QObject *parent = nullptr);
    ~Network() override;

    Connections &connections() { return m_connections; }
    NetworkGate &gate() { return m_gate; }
    DownloadList &downloads() { return m_downloads; }

    bool offline() const { return m_connections.offline(); }
    /// Holds at once. Empty: also at the next start; else why it cannot be stored, as a clause.
    QString setOffline(bool offline);

    const HubAccess &access() const { return m_access; }
    bool tokenStored() const;                   // by setToken(), not by the environment
    QString setAddress(const QString &address); // empty: stored; else why not
    QString setToken(const QByteArray &token);
    /// Whether the access token may go with a request to this address.
    bool isHub(const QUrl &url) const;

signals:
    void offlineChanged(bool offline);
    void accessChanged();

private:
    void readAccess();

    Connections m_connections;
    NetworkGate m_gate{m_connections};
    HubAccess m_access;
    DownloadList m_downloads;
};

} // namespace fireside
