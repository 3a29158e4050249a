#pragma once
#include <QString>

class QWidget;

namespace fireside {

class Connections;

/// Asks before it opens an address in the browser, showing where the link really leads. Anything
/// but http and https is refused. Does not block.
void askToOpenLink(QWidget *parent, const QString &address, Connections &connections);

} // namespace fireside
