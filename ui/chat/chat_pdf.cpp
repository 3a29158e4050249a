#include "ui/chat/chat_pdf.h"

#include "ui/chat/chat_pages.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>

namespace fireside {

namespace {

constexpr double kPageMargin = 18; // mm
constexpr int kResolution = 300;

} // namespace

PrintedChat toPdf(const QList<ChatBlock> &chat, const QString &title, QByteArray &pdf)
{
    QBuffer buffer(&pdf);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setResolution(kResolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(kPageMargin, kPageMargin, kPageMargin, kPageMargin),
                          QPageLayout::Millimeter);
    return printPages(chat, writer);
}

PrintedChat printPages(const QList<ChatBlock> &chat, QPagedPaintDevice &device)
{
    ChatPages pages(QSizeF(double(device.width()) / device.logicalDpiX(),
                           double(device.height()) / device.logicalDpiY()));
    for (const ChatBlock &block : chat)
        pages.add(block);
    const bool complete = pages.paint(device);
    return {complete, pages.missingCharacters()};
}

QByteArray toPdf(const QString &markdown, const QString &title)
{
    QByteArray pdf;
    toPdf({{markdown}}, title, pdf);
    return pdf;
}

void printPages(const QString &markdown, QPagedPaintDevice &device)
{
    printPages(QList<ChatBlock>{{markdown}}, device);
}

} // namespace fireside
