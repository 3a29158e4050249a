#pragma once
#include <QLocale>
#include <QString>

namespace fireside {

// Numbers as the interface writes them, in the user's locale, if no other is asked for, and with
// the engine's units.

/// "1.2 GB", "763 MB": decimal units, two significant digits below 10. Negative: "unknown".
QString bytesText(qint64 bytes, const QLocale &locale = QLocale());
/// "29.4 M", "1.2 B" parameters. 0 or less: "unknown".
QString parametersText(qint64 parameters, const QLocale &locale = QLocale());
/// "8,192"
QString countText(qint64 count);
/// "12.3 tok/s"; 0 or less: "–".
QString rateText(double tokensPerSecond);

} // namespace fireside
