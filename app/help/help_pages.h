#pragma once
#include <QString>

namespace fireside {

/// A page of resources/help, Markdown: "engines-elsewhere", in a language ("de") where it is there
/// in it, else in English. Empty: there is none.
QString helpPage(const QString &name, const QString &language);

} // namespace fireside
