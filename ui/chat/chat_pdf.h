#pragma once
#include <QByteArray>
#include <QString>

class QPagedPaintDevice;

namespace fireside {

/// Markdown as pages of the usual size. HTML in it stays text, nothing it names is loaded. Any
/// thread.
QByteArray toPdf(const QString &markdown, const QString &title);
/// The same on a printer, with the paper and margins that it is set to.
void printPages(const QString &markdown, QPagedPaintDevice &device);

} // namespace fireside
