#pragma once
#include "app/network/network_gate.h"
#include "app/remote/model_query.h"
#include "app/remote/remote_reply.h"
#include "app/remote/remote_servers.h"
#include "app/runtime/elsewhere.h"

#include <QHash>
#include <QSet>

#include <map>
#include <memory>

namespace fireside {

class Connections;

/// What is known of a server's models.
struct ServerModels
{
    ModelListing listing;
    bool asked = false; // an answer is still to come
};

/// The models of servers elsewhere: which there are, and replies by them.
class RemoteModels : public Elsewhere
{
    Q_OBJECT
public:
    explicit RemoteModels(Connections &connections,
                          std::unique_ptr<SecretStore> secrets = systemSecretStore(),
                          RemotePatience patience = {}, QObject *parent = nullptr);
    ~RemoteModels() override;

    RemoteServers &servers() { return m_servers; }
    ServerModels modelsOf(const QString &server) const { return m_models.value(server); }
    /// Asks every server for its models; modelsChanged() tells of each.
    void refresh();
    /// Asks one that is not stored yet; the caller deletes it.
    ModelQuery *query(const RemoteServer &server, const QByteArray &key, QObject *parent);

    bool owns(const QString &path) const override;
    QString nameOf(const QString &path) const override;
    QString placeOf(const QString &path) const override;
    void load(const QString &path) override;
    void leave() override;
    void reply(const ReplyJob &job) override;
    void stopReply() override;
    void askAside(const ReplyJob &job) override;

signals:
    void modelsChanged(const QString &server);

private:
    void refresh(const RemoteServer &server);
    void takeListing(const QString &server, const ModelListing &listing);
    void take(const QString &path, const QByteArray &key, const ModelListing &listing);
    ModelStatus statusOf(const RemoteServer &server, const OfferedModel &model) const;
    void failToLoad(const QString &path, const QString &why, bool unreachable);
    void connectReply(RemoteReply &reply, qint64 jobId);
    void connectAside(RemoteReply &reply, qint64 jobId);
    void endAside();
    RefusedParameters &refused();
    void write(const ReplyJob &job);
    void findOutFirst(const ReplyJob &job);

    NetworkGate m_gate;
    RemoteServers m_servers;
    const RemotePatience m_patience;
    QHash<QString, ServerModels> m_models;
    std::map<QString, std::unique_ptr<ModelQuery>> m_queries; // by server
    std::map<QString, RefusedParameters> m_refused;           // by path
    // The model that is loaded or being loaded.
    QString m_path;
    quint64 m_ticket = 0;
    RemoteTarget m_target;
    ModelStatus m_status;
    bool m_found = false; // the server has told of the model
    qint64 m_waiting = 0; // job that waits for that
    std::unique_ptr<ModelQuery> m_loading;
    std::unique_ptr<RemoteReply> m_reply, m_aside;
    qint64 m_asideJob = 0;
};

} // namespace fireside
