#pragma once
#include "ui/transcript/message_sections.h"
#include "ui/transcript/render_style.h"
#include "ui/transcript/wide_block.h"

#include <QTextDocument>
#include <QTextFormat>

#include <memory>

namespace fireside {

/// Properties that our documents put on text blocks; section_painter draws them.
enum BlockProperty {
    kBlockMarker = QTextFormat::UserProperty + 1, // QString: list marker left of the first line
    kBlockQuote,    // list of doubles: px where the bars of quotes are
    kBlockRule,     // bool: a horizontal rule
    kBlockCode,     // int: index into RenderedSection::codeBlocks
    kBlockFormula,  // bool: a formula in a line of its own
    kTableMirrored, // bool: the first column stands last
    kBlockSpaces,   // int: how far its text is indented where it is copied
    kCodeSpan,      // bool, of characters: code, whose letters give no direction
    kMarkOnly,      // bool, of characters: arranges the text around it and is not copied
};

struct CodeBlock
{
    int firstBlock = 0, lastBlock = 0; // block numbers in the document
    QString language;
    QString code;
    bool header = true;          // label and copy button above
    bool openAbove = false;      // began in the section before
    bool openBelow = false;      // goes on in the next section: no rounded end
    double left = 0;             // px from the document's left edge to the box
    double paddingAbove() const; // px between the box's top and its first line
};

/// One laid-out section.
struct RenderedSection
{
    std::unique_ptr<QTextDocument> document;
    QList<CodeBlock> codeBlocks;
    QList<TableColumns> tables;
    bool hasFormulas = false;
    QList<int> formulas;   // numbers of the blocks that hold one formula in a line of its own
    QList<WideBlock> wide; // from top to bottom, once it is laid out
    // Room above the first and below the last line, which QTextDocument leaves out of its margins.
    double above = 0, below = 0; // px
    double height() const { return above + document->size().height() + below; }
};

/// Builds the document of one section. Markdown is parsed by md4c (in every supported distribution,
/// a streaming parser, and unlike QTextDocument::setMarkdown it leaves what HTML, images and links
/// become to us): HTML stays text but for a few tags that format (Tag), images become "[image: …]",
/// only http and https links are links, and the document refuses to load any resource. Nesting and
/// table size are bounded.
RenderedSection renderSection(const Section &section, QStringView source,
                              const QString &references);
/// Appends a section to a document that may have others. The document must not be laid out yet.
void appendSection(RenderedSection &target, const RenderStyle &style, const Section &section,
                   QStringView source, const QString &references);
/// Empty, and loads nothing, whatever a text names.
std::unique_ptr<QTextDocument> newDocument(const RenderStyle &style);

/// A link that a click may open after the user confirmed it.
bool isSafeLink(const QString &address);

/// The text between two positions as a person expects it on the clipboard: list markers included,
/// what is nested indented, table cells separated by tabs, "x²" for a raised 2.
QString documentText(const QTextDocument &document, int from, int to);
/// The text that is read before a place.
QString textBefore(const QTextDocument &document, int place);

namespace codebox {
inline constexpr double kHeader = 34, kPadX = 14, kPadTop = 4, kPadBottom = 12, kMargin = 6;
}

inline double CodeBlock::paddingAbove() const
{
    return openAbove ? 0 : codebox::kPadTop + (header ? codebox::kHeader : codebox::kPadTop);
}

} // namespace fireside
