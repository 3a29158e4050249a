#pragma once
#include "app/remote/remote_server.h"
#include "app/remote/secret_store.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace fireside {

/// The servers that the user has added, stored as they change in
/// $XDG_CONFIG_HOME/fireside/servers.json, and their keys, which are kept in the desktop's keyring
/// or where the user wants them.
class RemoteServers : public QObject
{
    Q_OBJECT
public:
    explicit RemoteServers(std::unique_ptr<SecretStore> secrets = systemSecretStore(),
                           QObject *parent = nullptr);
    ~RemoteServers() override;

    const QList<RemoteServer> &all() const { return m_servers; }
    std::optional<RemoteServer> server(const QString &id) const;
    QString problem() const { return m_problem; } // of reading or storing; empty: all is well

    using Key = std::function<void(const QByteArray &key, const QString &problem)>;
    /// Later, also where it is known already; asks the keyring once.
    void fetchKey(const QString &id, Key answer);

    /// Adds (with an empty id) or changes a server; a key that is none stays as it is. stored()
    /// tells later, under the returned id; where the keyring refuses, nothing was changed.
    QString store(RemoteServer server, const std::optional<QByteArray> &key);
    void remove(const QString &id);

    /// Has the servers of another such list from now on, and the keys that it knows: those of a
    /// session are nowhere else. It must outlive this.
    void follow(const RemoteServers &other);

    /// Whether a model of this computer answers while a server cannot be reached.
    bool fallsBack() const { return m_fallsBack; }
    void setFallsBack(bool fallsBack);
    QString localModel() const { return m_localModel; } // that was used last; empty: the starter
    void setLocalModel(const QString &path);

signals:
    void changed();
    void stored(const QString &id, const QString &problem); // empty: it is

private:
    void read();
    void write();
    void keep(const RemoteServer &server);
    void storeKey(const RemoteServer &server, const QByteArray &key,
                  const std::function<void(const QString &problem)> &then);
    void dropKey(const QString &id, KeyPlace place);

    std::unique_ptr<SecretStore> m_secrets;
    QList<RemoteServer> m_servers;
    QHash<QString, QByteArray> m_keys; // that are known
    bool m_fallsBack = false;
    QString m_localModel, m_problem;
};

} // namespace fireside
