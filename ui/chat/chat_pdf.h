#pragma once
#include "app/exchange/chat_file.h"

#include <QByteArray>
#include <QString>

class QPagedPaintDevice;

namespace fireside {

/// What became of a chat on pages.
struct PrintedChat
{
    bool complete = false; // every page was taken
    QString missing;       // characters that no font here has; boxes stand for them
};

/// A chat as pages of the usual size. Nothing that it names is loaded. Any thread.
PrintedChat toPdf(const QList<ChatBlock> &chat, const QString &title, QByteArray &pdf);
/// The same on a printer, with the paper and margins that it is set to.
PrintedChat printPages(const QList<ChatBlock> &chat, QPagedPaintDevice &device);

/// Of one text.
QByteArray toPdf(const QString &markdown, const QString &title);
void printPages(const QString &markdown, QPagedPaintDevice &device);

} // namespace fireside
