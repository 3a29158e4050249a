#pragma once
#include <QNetworkAccessManager>
#include <QObject>
#include <QSet>
#include <QString>

class QNetworkReply;
class QNetworkRequest;

namespace fireside {

class Connections;

/// The only way out of the program: refuses while it is offline, and records each connection. Each
/// thread that connects has one.
class NetworkGate : public QObject
{
    Q_OBJECT
public:
    explicit NetworkGate(Connections &connections, QObject *parent = nullptr);
    ~NetworkGate() override;

    /// Without cookies, cache, and following redirects. Null while offline. The caller deletes the
    /// reply, which must not outlive the gate.
    QNetworkReply *get(QNetworkRequest request, const QString &purpose);
    QNetworkReply *post(QNetworkRequest request, const QByteArray &body, const QString &purpose);
    QNetworkReply *remove(QNetworkRequest request, const QString &purpose); // DELETE
    bool offline() const;

signals:
    void offlineChanged(bool offline);

private:
    enum class Verb { Get, Post, Delete };
    QNetworkReply *open(QNetworkRequest &request, Verb verb, const QByteArray &body,
                        const QString &purpose);
    void record(QNetworkReply *reply, qint64 id);
    void cutAll();

    Connections &m_connections;
    QNetworkAccessManager m_manager;
    QSet<QNetworkReply *> m_open;
};

} // namespace fireside
