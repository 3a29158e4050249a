#pragma once
#include <QString>
#include <QStringList>

namespace fireside {

// Stop strings as the settings show them: one per line, with \n, \t and \\ for line break, tab and
// backslash. parse(format(x)) == x for lists without empty strings.
QString formatStopStrings(const QStringList &strings);
QStringList parseStopStrings(const QString &text);

} // namespace fireside
