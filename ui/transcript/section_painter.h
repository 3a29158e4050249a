#pragma once
#include "ui/transcript/section_document.h"

#include <QPointF>
#include <QRectF>

class QPainter;

namespace fireside {

/// Selected characters of a section's document; empty when from == to.
struct TextRange
{
    int from = 0, to = 0;
};

/// Which copy button the pointer is over, and which one shows "Copied".
struct CodeButtons
{
    int hovered = -1, copied = -1;
};

/// Paints a section with its decorations at the painter's origin; the words `found` are marked.
/// clip is in the section's coordinates; `shifts` are those of its wide blocks.
void paintSection(QPainter &painter, const RenderedSection &section, const QRectF &clip,
                  TextRange selection, const QStringList &found, CodeButtons buttons,
                  const QList<SideShift> &shifts);

/// What stands around the text: boxes of code, bars of quotes, markers of lists, rules.
void paintDecorations(QPainter &painter, const RenderedSection &section, const QRectF &clip,
                      const RenderStyle &style, CodeButtons buttons);

/// The copy button of a code block, empty when it has no header.
QRectF copyButtonRect(const RenderedSection &section, int codeBlock);
/// -1: no copy button there.
int copyButtonAt(const RenderedSection &section, QPointF point);

} // namespace fireside
