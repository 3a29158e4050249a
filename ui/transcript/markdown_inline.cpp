// What stands within a block: spans, tags, formulas and the words around them.
#include "ui/math/formula.h"
#include "ui/style/emphasis.h"
#include "ui/transcript/markdown_builder.h"
#include "ui/transcript/markdown_reader.h"
#include "ui/transcript/transcript_text.h"

#include <QTextBlock>
#include <QTextTable>

#include <algorithm>

namespace fireside {

QTextCharFormat MarkdownBuilder::codeFormat() const
{
    QTextCharFormat format = textFormat();
    format.setFontFamilies(m_style.code.families());
    format.setFontPointSize(m_style.code.pointSizeF());
    format.setBackground(m_style.theme.hover);
    format.setProperty(kCodeSpan, true);
    return format;
}

void MarkdownBuilder::enterSpan(MD_SPANTYPE type, void *detail)
{
    const Theme &theme = m_style.theme;
    QTextCharFormat format = textFormat();
    switch (type) {
    case MD_SPAN_EM:
        format.setFontItalic(true);
        break;
    case MD_SPAN_STRONG:
        format.setFontWeight(QFont::Bold);
        break;
    case MD_SPAN_DEL:
        format.setFontStrikeOut(true);
        break;
    case MD_SPAN_CODE:
        format = codeFormat();
        break;
    case MD_SPAN_A: {
        const QString address =
            m_formulas.restore(attributeText(static_cast<MD_SPAN_A_DETAIL *>(detail)->href));
        if (isSafeLink(address)) {
            format.setAnchor(true);
            format.setAnchorHref(address);
            format.setForeground(theme.accent);
            format.setFontUnderline(true);
        }
        break;
    }
    case MD_SPAN_IMG: // never loaded: its description stands for it
        format.setForeground(theme.muted);
        format.setFontItalic(true);
        insert(TranscriptTexts::tr("[image: "),
               emphasised(format, TranscriptTexts::tr("[image: ")));
        break;
    default:
        break;
    }
    m_spans.append(format);
}

void MarkdownBuilder::leaveSpan(MD_SPANTYPE type)
{
    if (type == MD_SPAN_IMG)
        insert(QStringLiteral("]"), textFormat());
    if (!m_spans.isEmpty())
        m_spans.removeLast();
}

QTextCharFormat MarkdownBuilder::tagFormat(Tag tag) const
{
    QTextCharFormat format = textFormat();
    switch (tag) {
    case Tag::Bold:
    case Tag::Summary:
        format.setFontWeight(QFont::Bold);
        break;
    case Tag::Italic:
        format.setFontItalic(true);
        break;
    case Tag::Underline:
        format.setFontUnderline(true);
        break;
    case Tag::Strike:
        format.setFontStrikeOut(true);
        break;
    case Tag::Mark:
        format.setBackground(m_style.theme.match);
        break;
    case Tag::Code:
    case Tag::Keys:
        format = codeFormat();
        break;
    case Tag::Subscript:
        format.setVerticalAlignment(QTextCharFormat::AlignSubScript);
        break;
    case Tag::Superscript:
        format.setVerticalAlignment(QTextCharFormat::AlignSuperScript);
        break;
    case Tag::Small:
        format.setFontPointSize(m_style.text.pointSizeF() * 0.85);
        break;
    default:
        break;
    }
    return format;
}

/// What readTags() found no use for is text.
void MarkdownBuilder::addTag(const QString &text)
{
    const HtmlTag tag = m_tags.value(m_nextTag++);
    switch (tag.tag) {
    case Tag::None:
        return insert(QString(text).replace(QLatin1Char('\n'), QChar::LineSeparator), textFormat());
    case Tag::Break:
        return addLineBreak();
    case Tag::Rule:
        if (m_table)
            return insert(text, textFormat());
        dropTag();
        addRule();
        m_afterFormula = true;
        return;
    case Tag::Details:
        return dropTag();
    default:
        if (!tag.closes)
            m_spans.append(tagFormat(tag.tag));
        else if (!m_spans.isEmpty())
            m_spans.removeLast();
        m_afterSummary = tag.closes && tag.tag == Tag::Summary;
    }
}

/// Its line goes with it.
void MarkdownBuilder::dropTag()
{
    if (m_cursor.block().text().endsWith(QChar::LineSeparator))
        m_cursor.deletePreviousChar();
    m_dropped = true;
}

void MarkdownBuilder::addLineBreak()
{
    const bool begins = m_cursor.block().text().isEmpty() && m_dropped;
    m_afterSummary = m_dropped = false;
    if (!m_afterFormula && !begins)
        m_cursor.insertText(QString(QChar::LineSeparator), textFormat());
}

/// What stands behind a formula or a summary starts the next line.
void MarkdownBuilder::insert(const QString &text, const QTextCharFormat &format)
{
    if (m_afterFormula)
        startBlock(0);
    else if (m_afterSummary)
        m_cursor.insertText(QString(QChar::LineSeparator), format);
    m_afterSummary = m_dropped = m_firstOfItem = false;
    m_cursor.insertText(text, format);
}

void MarkdownBuilder::addText(MD_TEXTTYPE type, const QString &text)
{
    switch (m_inCode ? MD_TEXT_CODE : type) {
    case MD_TEXT_HTML:
        addTag(text);
        break;
    case MD_TEXT_NULLCHAR:
        insert(QString(QChar::ReplacementCharacter), textFormat());
        break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR: // models write line breaks where they mean them
        addLineBreak();
        break;
    case MD_TEXT_ENTITY:
        insert(decodeEntity(text), textFormat());
        break;
    case MD_TEXT_CODE:
        if (m_inCode)
            m_code += text;
        else
            insert(m_formulas.restore(m_table ? tableCode(text) : text), textFormat());
        break;
    default:
        m_formulas.split(
            text, [this](const QString &words) { addWords(words); },
            [this](const FormulaMarks::Formula &formula) { addFormula(formula); });
        break;
    }
}

void MarkdownBuilder::addWords(const QString &text)
{
    QString words = text;
    if (m_afterFormula || m_afterSummary || m_dropped) {
        while (words.startsWith(QLatin1Char(' ')))
            words.remove(0, 1);
        if (words.isEmpty())
            return;
    }
    insert(words, emphasised(textFormat(), words));
}

void MarkdownBuilder::addFormula(const FormulaMarks::Formula &formula)
{
    if (formula.display && !m_table && parseFormula(formula.body))
        return insertDisplayed(formula);
    insert({}, textFormat());
    const double points = textFormat().hasProperty(QTextFormat::FontPointSize)
                              ? textFormat().fontPointSize()
                              : m_style.text.pointSizeF();
    m_target.hasFormulas = true;
    if (!insertFormula(m_cursor, formula, textFormat(), points * m_style.pixelsPerPoint,
                       roomForFormula())) {
        QString source = formula.source;
        source.replace(QLatin1Char('\n'), QChar::LineSeparator);
        m_cursor.insertText(source, textFormat());
    }
}

/// Empty: it may be of any size. In a table each column has the same.
QSizeF MarkdownBuilder::roomForFormula() const
{
    constexpr double kAround = 0.9; // the rest is the line's
    if (m_style.largest.isEmpty())
        return {};
    const double width = std::max(1.0, m_style.largest.width() - indent());
    return {m_table
                ? width / std::max(1, m_table->columns()) - 2 * m_table->format().cellPadding() - 2
                : width,
            m_style.largest.height() * kAround};
}

/// In a block of its own, which can be moved sideways.
void MarkdownBuilder::insertDisplayed(const FormulaMarks::Formula &formula)
{
    if (m_cursor.block().text().endsWith(QChar::LineSeparator))
        m_cursor.deletePreviousChar();
    if (m_afterFormula || !m_cursor.block().text().isEmpty())
        startBlock(0);
    m_firstOfItem = false;
    QTextBlockFormat format = m_cursor.blockFormat();
    format.setLineHeight(100, QTextBlockFormat::ProportionalHeight);
    format.setNonBreakableLines(true);
    format.setProperty(kBlockFormula, true);
    if (m_style.paper)
        format.setAlignment(Qt::AlignHCenter);
    m_cursor.setBlockFormat(format);
    m_target.hasFormulas = true;
    insertFormula(m_cursor, formula, textFormat(), m_style.textPixels(), roomForFormula());
    m_target.formulas.append(m_cursor.blockNumber());
    m_afterFormula = true;
    m_afterSummary = m_dropped = false;
}

} // namespace fireside
