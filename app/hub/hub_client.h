#pragma once
#include "app/hub/hub_files.h"
#include "app/network/reply_head.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QMetaType>
#include <QObject>
#include <QUrl>

#include <functional>
#include <memory>

namespace fireside {

class NetworkGate;
class Transfer;

/// A repository as a search finds it.
struct HubRepository
{
    QString id; // "org/name"
    qint64 downloads = 0, likes = 0;
    QDateTime modified;
    QString license;       // "apache-2.0"; empty: not named
    qint64 parameters = 0; // 0: not named
    bool gated = false;    // its authors want terms to be accepted first
    bool operator==(const HubRepository &) const = default;
};

/// What a repository holds.
struct HubListing
{
    QString repository;
    QString revision; // the commit that is listed, and is then downloaded
    bool gated = false;
    QList<HubModel> models;
    QString license, architecture; // empty: not named
    qint64 parameters = 0;         // 0: not named
    int contextTrained = 0;
};

/// Repositories of Hugging Face or of a mirror, by its API
/// (https://huggingface.co/docs/hub/api). One question at a time: a newer one ends the older.
class HubClient : public QObject
{
    Q_OBJECT
public:
    HubClient(NetworkGate &gate, QUrl address, QByteArray token, QObject *parent = nullptr);
    ~HubClient() override;

    void setAccess(const QUrl &address, const QByteArray &token);
    /// The most downloaded that match; without `anyFormat` those with GGUF files.
    void search(const QString &words, bool anyFormat = false);
    void list(const QString &repository);
    void cancel(); // no signal follows

    /// What to download for a model, into `folder`/org/name.
    DownloadRequest requestFor(const HubListing &listing, const HubModel &model,
                               const QString &folder, bool withProjector = false) const;

signals:
    void found(const QList<fireside::HubRepository> &repositories);
    void listed(const fireside::HubListing &listing);
    void failed(const QString &problem); // a clause

private:
    using Answer = std::function<void(const QJsonDocument &json, const QUrl &next)>;
    void ask(QUrl url, const QString &purpose, Answer answer);
    void end(const QString &problem);
    void listFiles(const QUrl &url);
    QUrl at(const QString &path) const;

    NetworkGate &m_gate;
    QUrl m_address;
    QByteArray m_token;
    std::unique_ptr<Transfer> m_transfer;
    QByteArray m_body;
    QUrl m_next;
    HubListing m_listing;
    QList<HubFile> m_files;
};

/// "org/name", of letters, digits and what the Hub allows besides.
bool isRepositoryName(const QString &name);

} // namespace fireside

Q_DECLARE_METATYPE(fireside::HubListing)
