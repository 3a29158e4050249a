#include "app/tools/auth/addresses.h"

#include "app/tools/auth/auth_texts.h"

#include <QHostAddress>

namespace fireside::auth {
namespace {

int portOf(const QUrl &url)
{
    return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
}

QUrl rootOf(const QUrl &url)
{
    QUrl root;
    root.setScheme(url.scheme());
    root.setHost(url.host());
    root.setPort(url.port());
    return root;
}

QUrl placed(const QUrl &url, const QString &path)
{
    QUrl place = rootOf(url);
    place.setPath(path, QUrl::StrictMode);
    return place;
}

/// Without a "/" at its end.
QString pathOf(const QUrl &url)
{
    QString path = url.path(QUrl::FullyEncoded);
    while (path.endsWith(QLatin1Char('/')))
        path.chop(1);
    return path;
}

/// Names without a dot are those of a local network.
bool isLocal(const QUrl &url)
{
    const QString host = url.host();
    if (isThisComputer(url) || host.endsWith(QLatin1String(".local")) ||
        host.endsWith(QLatin1String(".localhost")) || host.endsWith(QLatin1String(".internal")))
        return true;
    const QHostAddress address(host);
    if (address.isNull())
        return !host.contains(QLatin1Char('.'));
    bool is4 = false;
    const quint32 number = address.toIPv4Address(&is4);
    if (is4) {
        const QHostAddress plain(number);
        for (const char *net : {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
                                "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"})
            if (plain.isInSubnet(QHostAddress::parseSubnet(QLatin1String(net))))
                return true;
        return false;
    }
    return address.isLoopback() || address.isLinkLocal() || address.isUniqueLocalUnicast() ||
           address == QHostAddress(QHostAddress::AnyIPv6);
}

} // namespace

bool isThisComputer(const QUrl &url)
{
    return url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
}

bool isSafe(const QUrl &url)
{
    return url.isValid() && !url.host().isEmpty() &&
           (url.scheme() == QLatin1String("https") ||
            (url.scheme() == QLatin1String("http") && isThisComputer(url)));
}

QString resourceOf(const QUrl &server)
{
    QUrl plain = rootOf(server);
    if (portOf(server) == portOf(plain.adjusted(QUrl::RemovePort)))
        plain.setPort(-1);
    plain.setPath(server.path(QUrl::FullyEncoded), QUrl::StrictMode);
    QString text = plain.toString(QUrl::FullyEncoded);
    if (plain.path() == QLatin1String("/"))
        text.chop(1);
    return text;
}

bool covers(const QString &resource, const QUrl &server)
{
    const QUrl url(resource, QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != server.scheme() || url.host() != server.host() ||
        portOf(url) != portOf(server) || !url.userInfo().isEmpty() || url.hasFragment() ||
        (url.hasQuery() && url.query() != server.query()))
        return false;
    const QString above = pathOf(url), path = pathOf(server);
    return path == above || path.startsWith(above + QLatin1Char('/'));
}

QList<QUrl> resourcePlaces(const QUrl &server, const QString &named)
{
    QList<QUrl> places;
    if (!named.isEmpty())
        places.append(QUrl(named, QUrl::StrictMode));
    const QString known = QStringLiteral("/.well-known/oauth-protected-resource");
    for (const QString &path : {known + pathOf(server), known})
        if (const QUrl place = placed(server, path); !places.contains(place))
            places.append(place);
    return places;
}

QList<QUrl> issuerPlaces(const QUrl &issuer)
{
    const QString path = pathOf(issuer);
    QList<QUrl> places{
        placed(issuer, QStringLiteral("/.well-known/oauth-authorization-server") + path),
        placed(issuer, QStringLiteral("/.well-known/openid-configuration") + path)};
    if (!path.isEmpty())
        places.append(placed(issuer, path + QStringLiteral("/.well-known/openid-configuration")));
    return places;
}

QString problemOf(const QUrl &named, const QUrl &server)
{
    const QString shown = named.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery).left(200);
    const bool http =
        named.scheme() == QLatin1String("https") || named.scheme() == QLatin1String("http");
    if (!named.isValid() || named.host().isEmpty() || !http || !named.userInfo().isEmpty() ||
        named.hasFragment())
        return AuthTexts::tr("“%1” is no address that can be used").arg(shown);
    if (!isSafe(named))
        return AuthTexts::tr("%1 is without encryption; only https can be used").arg(shown);
    if (isThisComputer(named) ? !isThisComputer(server) : isLocal(named) && !isLocal(server))
        return AuthTexts::tr("%1 is in your own network, where a server elsewhere has nothing to "
                             "ask for")
            .arg(shown);
    return {};
}

} // namespace fireside::auth
