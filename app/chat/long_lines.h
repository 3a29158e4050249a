#pragma once
#include "app/chat/text_attachment.h"

#include <QStringList>

namespace fireside {

/// Whether a field of text would need more than a tenth of a second for each key in this line: a
/// line is laid out as a whole, and emoji and other scripts take longer than Latin letters.
bool isLongLine(QStringView line);
bool hasLongLine(QStringView text);

/// The text without its long lines, which become files of their own. In a text with other lines
/// their names stand in their places. `taken`: names that are in use.
ComposedText withLongLinesAsFiles(const QString &text, QStringList taken);

/// The text with line breaks in its long lines, at blanks where there are some.
QString withLongLinesBroken(const QString &text);

} // namespace fireside
