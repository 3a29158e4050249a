#pragma once
#include <QString>

namespace fireside {

/// A page of resources/help, Markdown: "engines-elsewhere". Empty: there is none.
QString helpPage(const QString &name);

} // namespace fireside
