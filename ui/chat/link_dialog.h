#pragma once
#include <QString>

class QUrl;
class QWidget;

namespace fireside {

class Connections;

/// Asks before it opens an address in the browser, showing where the link really leads. Anything
/// but http and https is refused. Does not block.
void askToOpenLink(QWidget *parent, const QString &address, Connections &connections);

/// Opens a page for a tool server, to which the user has agreed.
void openForTools(const QUrl &address, Connections &connections);

} // namespace fireside
