#pragma once
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QObject>
#include <QUrl>

namespace fireside::test {

/// In place of the user's browser: follows an address wherever it leads, once the page says yes by
/// itself.
class AuthBrowser : public QObject
{
public:
    void open(const QUrl &address)
    {
        opened += address;
        QNetworkReply *const reply = m_manager.get(QNetworkRequest(address));
        connect(reply, &QNetworkReply::finished, this, [this, reply] {
            reply->deleteLater();
            const QUrl to = reply->attribute(QNetworkRequest::RedirectionTargetAttribute).toUrl();
            if (to.isEmpty())
                page = reply->readAll();
            else
                open(reply->url().resolved(to));
        });
    }
    QList<QUrl> opened;
    QByteArray page; // the last one

private:
    struct Manager : QNetworkAccessManager
    {
        Manager() { setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy); }
    };
    Manager m_manager;
};

} // namespace fireside::test
