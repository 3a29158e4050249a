#include "app/hub/network.h"

#include <QStandardPaths>

namespace fireside {
namespace {

QString dataFile(const char *name)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/fireside/") + QLatin1String(name);
}

} // namespace

Network::Network(const DownloadPolicy &policy, QObject *parent)
    : QObject(parent)
    , m_connections(dataFile("connections.jsonl"))
    , m_access(readHubAccess())
    , m_downloads(
          m_connections, dataFile("downloads.json"), [this] { return m_access.token; }, policy)
{
    m_connections.setOffline(m_access.offline);
    connect(&m_connections, &Connections::offlineChanged, this, &Network::offlineChanged);
}

Network::~Network() = default;

QString Network::setOffline(bool offline)
{
    m_connections.setOffline(offline);
    m_access.offline = offline;
    return storeOffline(offline);
}

bool Network::tokenStored() const
{
    return hubTokenStored();
}

QString Network::setAddress(const QString &address)
{
    const QString problem = storeHubAddress(address);
    readAccess();
    return problem;
}

QString Network::setToken(const QByteArray &token)
{
    const QString problem = storeHubToken(token);
    readAccess();
    return problem;
}

void Network::readAccess()
{
    const bool offline = m_access.offline; // holds even where it could not be stored
    m_access = readHubAccess();
    m_access.offline = offline;
    emit accessChanged();
}

bool Network::isHub(const QUrl &url) const
{
    return url.scheme() == m_access.address.scheme() && url.host() == m_access.address.host() &&
           url.port() == m_access.address.port();
}

} // namespace fireside
