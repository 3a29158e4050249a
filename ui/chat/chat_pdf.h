#pragma once
#include <QByteArray>
#include <QString>

namespace fireside {

/// Markdown as pages of the usual size. HTML in it stays text, nothing it names is loaded. Any
/// thread.
QByteArray toPdf(const QString &markdown, const QString &title);

} // namespace fireside
