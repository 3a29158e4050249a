#pragma once
#include <QList>
#include <QString>
#include <QUrl>

// Which addresses are asked while signing in, and which never are.
namespace fireside::auth {

bool isThisComputer(const QUrl &url);
/// Tokens and codes may go there: https, or within this computer.
bool isSafe(const QUrl &url);

/// A server's address as it is named to others (RFC 8707): nothing but scheme, host, port and path.
QString resourceOf(const QUrl &server);
/// Whether a description that calls itself `resource` is about this server: the same scheme, host
/// and port, and a path at or above the server's.
bool covers(const QString &resource, const QUrl &server);

/// Where a server may describe itself, in the order in which they are asked (RFC 9728, 3.1).
/// named: as it has said itself; empty: it has not.
QList<QUrl> resourcePlaces(const QUrl &server, const QString &named);
/// Where a server for signing in describes itself: RFC 8414, 3.1, then OpenID's two ways.
QList<QUrl> issuerPlaces(const QUrl &issuer);

/// Why an address that the server names is not used, as a clause; empty: it is. Only https, or
/// within this computer where the server runs here, too; none of a local network unless the server
/// is in one.
QString problemOf(const QUrl &named, const QUrl &server);

} // namespace fireside::auth
