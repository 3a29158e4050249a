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
    void stopReply(qint64 jobId) override;
    void askAside(const ReplyJob &job) override;

signals:
    void modelsChanged(const QString &server);

private:
    /// A reply or a question on its way to the server.
    struct Request
    {
        ReplyJob job;
        bool aside = false;
        std::unique_ptr<ModelQuery> query{}; // before it is sent
        std::unique_ptr<RemoteReply> reply{};
        QString text{}; // of a question's answer
        QList<MessagePart> parts{};
    };
    using RequestPtr = std::shared_ptr<Request>;

    void refresh(const RemoteServer &server);
    void takeListing(const QString &server, const ModelListing &listing);
    void take(const QString &path, const ModelListing &listing);
    ModelStatus statusOf(const RemoteServer &server, const OfferedModel &model) const;
    void failToLoad(const QString &path, const QString &why, bool unreachable);
    bool follow(const RemoteServer &server, const ModelListing &listing);
    void setModel(const RemoteServer &server, const OfferedModel &model);
    // remote_requests.cpp
    void begin(const RequestPtr &request);
    void send(const RequestPtr &request, const QByteArray &key);
    void askFirst(const RequestPtr &request, const RemoteServer &server, const QByteArray &key);
    void write(const RequestPtr &request, const RemoteServer &server, const QByteArray &key);
    void connectReply(const RequestPtr &request);
    void connectAside(const RequestPtr &request);
    void explainMissing(const RequestPtr &request, const RemoteProblem &problem);
    void end(const RequestPtr &request);
    void fail(const RequestPtr &request, const QString &why, bool unreachable);
    void endAside();
    bool mustAskFirst(const RemoteServer &server) const;
    bool othersWrite(const Request *request) const;
    int writing() const;
    void dropRequest(Request &request);

    NetworkGate m_gate;
    RemoteServers m_servers;
    const RemotePatience m_patience;
    QHash<QString, ServerModels> m_models;
    std::map<QString, std::unique_ptr<ModelQuery>> m_queries; // by server
    std::map<QString, RefusedParameters> m_refused;           // by path
    // The model that is loaded or being loaded.
    QString m_path;
    quint64 m_ticket = 0;
    RemoteServer m_server; // as it was when it told of the model
    OfferedModel m_model;
    ModelStatus m_status;
    bool m_found = false; // the server has told of the model
    std::unique_ptr<ModelQuery> m_loading;
    std::map<qint64, RequestPtr> m_replies; // by job
    QList<ReplyJob> m_waiting;              // for the end of one of those
    RequestPtr m_aside;
};

} // namespace fireside
