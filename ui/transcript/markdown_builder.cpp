#include "ui/transcript/markdown_builder.h"

#include "ui/style/emphasis.h"
#include "ui/transcript/code_colours.h"
#include "ui/transcript/code_languages.h"
#include "ui/transcript/markdown_reader.h"
#include "ui/transcript/transcript_text.h"

#include <QFontMetricsF>
#include <QTextBlock>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr double kParagraphGap = 10, kItemGap = 4, kIndent = 26, kQuoteIndent = 16;
constexpr int kDeepest = 8;     // levels of lists and quotes that still indent
constexpr int kMaxCells = 1200; // of all tables of a section; more are shown as the text they are
constexpr int kMaxSpaces = 40;  // before copied text

QColor colourOf(CodeColour colour, const Theme &theme)
{
    switch (colour) {
    case CodeColour::Keyword:
        return theme.syntaxKeyword;
    case CodeColour::Type:
        return theme.syntaxType;
    case CodeColour::String:
        return theme.syntaxString;
    case CodeColour::Comment:
        return theme.syntaxComment;
    case CodeColour::Number:
        return theme.syntaxNumber;
    case CodeColour::Function:
        return theme.syntaxFunction;
    }
    return theme.text;
}

} // namespace

MarkdownBuilder::MarkdownBuilder(RenderedSection &target, const RenderStyle &style,
                                 const FormulaMarks &formulas)
    : m_target(target)
    , m_style(style)
    , m_formulas(formulas)
    , m_cursor(target.document.get())
{
    m_base.setForeground(style.theme.text);
    m_block = m_base;
    m_cursor.movePosition(QTextCursor::End);
    // Behind a table an empty block is left for what follows.
    m_fresh = m_cursor.position() == 0 ||
              m_cursor.blockFormat().lineHeightType() == QTextBlockFormat::FixedHeight;
}

/// Only counts the cells.
bool MarkdownBuilder::canShow(const QByteArray &utf8)
{
    struct Counter
    {
        quint64 cells = 0;
        int enterBlock(MD_BLOCKTYPE type, void *detail)
        {
            if (type != MD_BLOCK_TABLE)
                return 0;
            const auto *table = static_cast<MD_BLOCK_TABLE_DETAIL *>(detail);
            cells += quint64(table->col_count) *
                     (quint64(table->body_row_count) + table->head_row_count);
            return cells > kMaxCells ? -1 : 0; // md4c 0.5 goes on after positive values
        }
        void leaveBlock(MD_BLOCKTYPE, void *) {}
        void enterSpan(MD_SPANTYPE, void *) {}
        void leaveSpan(MD_SPANTYPE) {}
        void addText(MD_TEXTTYPE, const QString &) {}
    } counter;
    return !utf8.contains('|') || readMarkdown(utf8, counter);
}

void MarkdownBuilder::build(const QByteArray &utf8)
{
    m_tags = readTags(utf8);
    m_nextTag = 0;
    readMarkdown(utf8, *this);
}

double MarkdownBuilder::indent() const
{
    const auto lists = std::min<qsizetype>(m_lists.size(), kDeepest);
    const auto quotes = std::min<qsizetype>(m_quotes.size(), kDeepest);
    return double(lists) * kIndent + double(quotes) * kQuoteIndent;
}

int MarkdownBuilder::copiedSpaces() const
{
    int spaces = 0;
    for (const List &list : m_lists)
        spaces = std::min(spaces + list.spaces, kMaxSpaces);
    return spaces;
}

void MarkdownBuilder::markQuotes(QTextBlockFormat &format) const
{
    if (!m_quotes.isEmpty())
        format.setProperty(kBlockQuote, m_quotes.mid(0, kDeepest));
}

QTextBlockFormat MarkdownBuilder::proseFormat(double topMargin) const
{
    QTextBlockFormat format;
    format.setLineHeight(132, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(topMargin);
    format.setLeftMargin(indent());
    format.setProperty(kBlockSpaces, copiedSpaces());
    markQuotes(format);
    return format;
}

void MarkdownBuilder::startBlock(double topMargin)
{
    QTextBlockFormat format = proseFormat(m_cursor.position() == 0 ? 0 : topMargin);
    const QString marker = std::exchange(m_marker, QString());
    // On paper it is a part of the text, for those who copy from there.
    const QString written =
        m_style.paper && !marker.isEmpty() ? marker + QLatin1Char(' ') : QString();
    if (!marker.isEmpty())
        format.setProperty(kBlockSpaces, format.intProperty(kBlockSpaces) - m_lists.last().spaces);
    if (!marker.isEmpty() && written.isEmpty())
        format.setProperty(kBlockMarker, marker);
    if (!written.isEmpty())
        format.setTextIndent(-QFontMetricsF(m_style.text).horizontalAdvance(written));
    if (m_fresh) {
        m_cursor.setBlockFormat(format);
        m_cursor.setBlockCharFormat(textFormat());
    } else {
        m_cursor.insertBlock(format, textFormat());
    }
    m_fresh = m_afterFormula = false;
    if (!written.isEmpty())
        m_cursor.insertText(written, m_base);
}

void MarkdownBuilder::startItem(const MD_BLOCK_LI_DETAIL &item)
{
    List &list = m_lists.last();
    if (item.is_task)
        m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
    else if (list.ordered)
        m_marker = QString::number(list.next++) + QLatin1Char('.');
    else
        m_marker = m_lists.size() % 2 ? QStringLiteral("•") : QStringLiteral("◦");
    list.spaces = int(m_marker.size()) + 1;
    // Tight items have no paragraph of their own: their text follows at once.
    startBlock(list.tight ? kItemGap : kParagraphGap * 0.8);
    m_firstOfItem = true;
}

void MarkdownBuilder::startHeading(unsigned level)
{
    static constexpr double kScale[] = {1.5, 1.3, 1.15, 1.05, 1.0, 1.0};
    level = std::clamp(level, 1u, 6u);
    m_block = m_base;
    m_block.setFontWeight(QFont::DemiBold);
    m_block.setFontPointSize(m_target.document->defaultFont().pointSizeF() * kScale[level - 1]);
    if (!m_firstOfItem)
        startBlock(level < 3 ? 20 : 16);
    m_firstOfItem = false;
}

void MarkdownBuilder::addRule()
{
    m_firstOfItem = false;
    if (!m_cursor.block().text().isEmpty() || m_fresh || m_afterFormula)
        startBlock(kParagraphGap);
    QTextBlockFormat format = m_cursor.blockFormat();
    format.setProperty(kBlockRule, true);
    m_cursor.setBlockFormat(format);
}

int MarkdownBuilder::enterBlock(MD_BLOCKTYPE type, void *detail)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
        m_quotes.append(indent() + 1);
        break;
    case MD_BLOCK_UL:
        m_lists.append(
            {.ordered = false, .tight = static_cast<MD_BLOCK_UL_DETAIL *>(detail)->is_tight != 0});
        break;
    case MD_BLOCK_OL: {
        const auto *list = static_cast<MD_BLOCK_OL_DETAIL *>(detail);
        m_lists.append({.ordered = true, .tight = list->is_tight != 0, .next = list->start});
        break;
    }
    case MD_BLOCK_LI:
        startItem(*static_cast<MD_BLOCK_LI_DETAIL *>(detail));
        break;
    case MD_BLOCK_P:
        if (!m_firstOfItem)
            startBlock(kParagraphGap);
        m_firstOfItem = false;
        break;
    case MD_BLOCK_H:
        startHeading(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
        break;
    case MD_BLOCK_HR:
        addRule();
        break;
    case MD_BLOCK_CODE:
        m_inCode = true;
        m_firstOfItem = false;
        m_codeLanguage =
            m_formulas.restore(attributeText(static_cast<MD_BLOCK_CODE_DETAIL *>(detail)->lang));
        break;
    case MD_BLOCK_TABLE:
        beginTable(*static_cast<MD_BLOCK_TABLE_DETAIL *>(detail));
        break;
    case MD_BLOCK_TR:
        ++m_row;
        m_column = -1;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        beginCell(*static_cast<MD_BLOCK_TD_DETAIL *>(detail), type == MD_BLOCK_TH);
        break;
    default:
        break;
    }
    return 0;
}

void MarkdownBuilder::leaveBlock(MD_BLOCKTYPE type, void *)
{
    m_spans.clear(); // md4c may leave spans open, or leave some that it never entered
    switch (type) {
    case MD_BLOCK_QUOTE:
        m_quotes.removeLast();
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        m_lists.removeLast();
        break;
    case MD_BLOCK_LI:
        m_firstOfItem = false;
        m_marker.clear();
        break;
    case MD_BLOCK_P:
        endParagraph();
        break;
    case MD_BLOCK_TH:
        endHeaderCell();
        m_block = m_base;
        break;
    case MD_BLOCK_H:
    case MD_BLOCK_TD:
        m_block = m_base;
        break;
    case MD_BLOCK_CODE: {
        m_inCode = false;
        if (m_code.endsWith(QLatin1Char('\n')))
            m_code.chop(1);
        appendCode(m_formulas.restore(m_code), m_codeLanguage);
        m_code.clear();
        break;
    }
    case MD_BLOCK_TABLE:
        endTable();
        break;
    default:
        break;
    }
    m_afterFormula = m_afterSummary = m_dropped = false;
}

/// One that held only tags which are not shown takes no room.
void MarkdownBuilder::endParagraph()
{
    const QTextBlockFormat format = m_cursor.blockFormat();
    if (!m_dropped || !m_cursor.block().text().isEmpty() || format.hasProperty(kBlockMarker) ||
        format.hasProperty(kBlockRule))
        return;
    collapse();
    m_fresh = true;
}

void MarkdownBuilder::appendPlain(const QString &text)
{
    startBlock(kParagraphGap);
    QString lines = text;
    lines.replace(QLatin1Char('\n'), QChar::LineSeparator);
    m_cursor.insertText(lines, textFormat());
}

void MarkdownBuilder::appendCode(const QString &code, const QString &language,
                                 const Section *section)
{
    CodeBlock block;
    block.language = !section || section->call.isEmpty() ? languageTitle(language)
                     : section->answered                 ? TranscriptTexts::tr("Arguments")
                                         : TranscriptTexts::tr("Tool call: %1").arg(section->call);
    block.code = code;
    block.header = !m_style.paper && (!section || !section->continued);
    block.openAbove = section && section->continued;
    block.openBelow = section && section->continues;
    block.left = indent();

    using namespace codebox;
    const bool afterCode = m_cursor.blockFormat().hasProperty(kBlockCode) && !m_fresh;
    const double above =
        block.openAbove ? 0
                        : kMargin + block.paddingAbove() + (afterCode ? kPadBottom + kMargin : 0);
    startBlock(above);
    QTextBlockFormat format;
    format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
    format.setLeftMargin(indent() + kPadX);
    format.setRightMargin(kPadX);
    format.setNonBreakableLines(!m_style.paper);
    format.setLayoutDirection(Qt::LeftToRight);
    format.setProperty(kBlockCode, int(m_target.codeBlocks.size()));
    format.setProperty(kBlockSpaces, copiedSpaces());
    markQuotes(format);
    m_cursor.setBlockFormat(format);
    block.firstBlock = m_cursor.blockNumber();
    insertColoured(code, language);
    block.lastBlock = m_cursor.blockNumber();

    QTextBlockFormat bottom = m_cursor.blockFormat();
    bottom.setBottomMargin(block.openBelow ? 0 : kPadBottom + kMargin);
    m_cursor.setBlockFormat(bottom);
    QTextCursor first(m_target.document->findBlockByNumber(block.firstBlock));
    QTextBlockFormat top = first.blockFormat();
    top.setTopMargin(above);
    first.setBlockFormat(top);
    m_target.codeBlocks.append(block);
}

void MarkdownBuilder::insertColoured(const QString &code, const QString &language)
{
    QTextCharFormat plain = m_base;
    plain.setFont(m_style.code);
    m_cursor.setBlockCharFormat(plain);
    qsizetype at = 0;
    for (const ColouredRange &range : colourCode(code, language)) {
        m_cursor.insertText(code.mid(at, range.start - at), plain);
        QTextCharFormat format = plain;
        format.setForeground(colourOf(range.colour, m_style.theme));
        const QString text = code.mid(range.start, range.length);
        format.setFontItalic(range.colour == CodeColour::Comment && hasItalics(text));
        m_cursor.insertText(text, format);
        at = range.start + range.length;
    }
    m_cursor.insertText(code.mid(at), plain);
}

} // namespace fireside
