#pragma once
#include <QString>

namespace fireside {

/// Markdown as HTML without styles, for other programs: as it is shown, so HTML in it stays text
/// but for tags that format (Tag), and formulas stay their source. Links are http, https or mailto,
/// else only their words.
QString markdownToHtml(const QString &markdown);
/// Text as it is, with its line breaks.
QString plainToHtml(const QString &text);

} // namespace fireside
