#pragma once
#include <QString>

namespace fireside {

/// Markdown as it reads in one line: without the marks of emphasis, code, headings, quotes, links
/// and tables.
QString withoutMarks(QString text);

} // namespace fireside
