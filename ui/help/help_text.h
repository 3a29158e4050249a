#pragma once
#include <QString>

class QTextDocument;

namespace fireside {

/// Lays out a page of the help: its direction, its tables, and keys as this system writes them.
void fillHelp(QTextDocument &document, const QString &page);

} // namespace fireside
