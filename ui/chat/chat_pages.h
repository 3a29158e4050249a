#pragma once
#include "app/exchange/chat_file.h"
#include "ui/transcript/section_document.h"

#include <QImage>
#include <QSizeF>

class QPagedPaintDevice;
class QPainter;

namespace fireside {

/// A chat laid out on pages, as the window shows it but in black on white and without anything to
/// click: code wraps, tables and formulas fit the page. Any thread, but always the same one.
class ChatPages
{
public:
    /// Page in inches, without its margins.
    explicit ChatPages(QSizeF inches);

    void add(const ChatBlock &block);
    /// After everything was added. The pages that the device is asked for; false when it took only
    /// a part of them.
    bool paint(QPagedPaintDevice &device);
    /// Characters, each once, that no font of this system has.
    QString missingCharacters() const;

private:
    void layOut();
    void paintPage(QPainter &painter, int page) const;

    const double m_dpi;  // of the layout
    const QSizeF m_size; // px
    const RenderStyle m_style;
    RenderedSection m_content;
};

} // namespace fireside
