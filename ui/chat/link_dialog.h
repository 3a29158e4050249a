#pragma once
#include <QString>

class QUrl;
class QWidget;

namespace fireside {

class Connections;

/// Asks before it opens an address in the browser, showing where the link really leads. Anything
/// but http and https is refused. Does not block.
void askToOpenLink(QWidget *parent, const QString &address, Connections &connections);

/// Opens the page at which the user has agreed to sign in.
void openForSignIn(const QUrl &address, Connections &connections);

} // namespace fireside
