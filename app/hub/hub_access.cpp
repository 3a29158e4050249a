#include "app/hub/hub_access.h"

#include "app/downloads/download_texts.h"
#include "app/files/write_file.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <algorithm>

namespace fireside {
namespace {

QString pathOf(const char *name)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/") + QLatin1String(name);
}

QByteArray content(const QString &path)
{
    constexpr qint64 kLongest = 64 << 10;
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(kLongest) : QByteArray();
}

QJsonObject stored()
{
    return QJsonDocument::fromJson(content(pathOf("network.json"))).object();
}

QString store(const QString &key, const QJsonValue &value)
{
    QJsonObject json = stored();
    json[key] = value;
    return writeFile(pathOf("network.json"), QJsonDocument(json).toJson(), Readers::OwnerAlone);
}

bool isWebAddress(const QUrl &url)
{
    return url.isValid() && !url.host().isEmpty() && url.userInfo().isEmpty() &&
           (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http"));
}

bool isToken(const QByteArray &token)
{
    return token.size() < 1000 &&
           std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
}

} // namespace

HubAccess readHubAccess()
{
    HubAccess access;
    const QJsonObject json = stored();
    access.offline = json[QLatin1String("offline")].toBool();
    access.address = QUrl(qEnvironmentVariable("HF_ENDPOINT"));
    if (!isWebAddress(access.address))
        access.address = QUrl(json[QLatin1String("hub")].toString());
    if (!isWebAddress(access.address))
        access.address = QUrl(QStringLiteral("https://huggingface.co"));
    access.token = content(pathOf("hub-token")).trimmed();
    if (access.token.isEmpty())
        access.token = qgetenv("HF_TOKEN").trimmed();
    if (!isToken(access.token))
        access.token.clear();
    return access;
}

QString storeHubAddress(const QString &address)
{
    const QString text = address.trimmed();
    if (!text.isEmpty() && !isWebAddress(QUrl(text, QUrl::StrictMode)))
        return DownloadTexts::tr("this is no address of the form https://…");
    return store(QStringLiteral("hub"), text);
}

QString storeOffline(bool offline)
{
    return store(QStringLiteral("offline"), offline);
}

QString storeHubToken(const QByteArray &token)
{
    const QByteArray text = token.trimmed();
    if (!isToken(text))
        return DownloadTexts::tr("this is no access token");
    const QString path = pathOf("hub-token");
    if (!text.isEmpty())
        return writeFile(path, text, Readers::OwnerAlone);
    QFile file(path);
    return !file.exists() || file.remove() ? QString() : file.errorString();
}

bool hubTokenStored()
{
    return !content(hubTokenPath()).trimmed().isEmpty();
}

QString hubTokenPath()
{
    return pathOf("hub-token");
}

} // namespace fireside
