#pragma once
#include "app/remote/remote_problem.h"
#include "app/remote/remote_server.h"

#include <QJsonObject>
#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace fireside {

class HttpExchange;
class NetworkGate;

/// What a server offers.
struct ModelListing
{
    QList<OfferedModel> models;
    ServerKind kind = ServerKind::Unknown;
    QString problem; // a clause; empty: it answered
    bool unreachable = false;
    const OfferedModel *find(const QString &model) const; // nullptr: it is not offered
    /// That a model is not offered, and which are; a clause.
    QString lacks(const QString &host) const;
};

/// The models among the answer of /models, and what kind of server says so.
ModelListing listingIn(const QJsonObject &json);

/// Asks a server for its models, and where its kind keeps such things elsewhere, for the size of
/// their contexts.
class ModelQuery : public QObject
{
    Q_OBJECT
public:
    ModelQuery(NetworkGate &gate, RemoteServer server, QByteArray key, QObject *parent = nullptr);
    ~ModelQuery() override; // ends it without a signal

    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }
    void start();
    void cancel(); // no signal follows

signals:
    void finished(const fireside::ModelListing &listing);

private:
    using Answer = std::function<void(const QJsonObject &json)>;
    void ask(const QUrl &url, Answer answer, std::function<void(const ExchangeFailure &)> failed);
    void askForContexts();
    void addContexts(const QJsonObject &json);
    void end();

    NetworkGate &m_gate;
    const RemoteServer m_server;
    const QByteArray m_key;
    std::chrono::milliseconds m_patience{15'000};
    std::unique_ptr<HttpExchange> m_exchange;
    QByteArray m_body;
    ModelListing m_listing;
};

} // namespace fireside
