#pragma once
#include "ui/transcript/formula_object.h"
#include "ui/transcript/markdown_tags.h"
#include "ui/transcript/section_document.h"

#include <QTextCursor>

#include <md4c.h>

namespace fireside {

/// Appends what md4c reads to a QTextDocument.
class MarkdownBuilder
{
public:
    /// `formulas`: those that the text has marks of.
    MarkdownBuilder(RenderedSection &target, const RenderStyle &style,
                    const FormulaMarks &formulas = {});

    /// False: too large a table, shown as text.
    static bool canShow(const QByteArray &utf8);
    void build(const QByteArray &utf8);
    void appendCode(const QString &code, const QString &language, const Section *section = nullptr);
    void appendPlain(const QString &text);

    // What readMarkdown() calls.
    int enterBlock(MD_BLOCKTYPE type, void *detail);
    void leaveBlock(MD_BLOCKTYPE type, void *detail);
    void enterSpan(MD_SPANTYPE type, void *detail);
    void leaveSpan(MD_SPANTYPE type);
    void addText(MD_TEXTTYPE type, const QString &text);

private:
    struct List
    {
        bool ordered = false;
        bool tight = true;
        unsigned next = 1;
        int spaces = 0; // of the text behind its marker, where it is copied
    };

    // markdown_inline.cpp
    void addTag(const QString &text);
    void openTag(Tag tag);
    void dropTag();
    void addLineBreak();
    void insert(const QString &text, const QTextCharFormat &format);
    QTextCharFormat codeFormat() const;
    QTextCharFormat tagFormat(Tag tag) const;

    void endParagraph();
    void collapse();
    int copiedSpaces() const;
    void markQuotes(QTextBlockFormat &format) const;
    void startBlock(double topMargin);
    void startItem(const MD_BLOCK_LI_DETAIL &item);
    void startHeading(unsigned level);
    void addRule();
    QTextBlockFormat proseFormat(double topMargin) const;
    double indent() const;
    const QTextCharFormat &textFormat() const
    {
        return m_spans.isEmpty() ? m_block : m_spans.last();
    }
    void beginTable(const MD_BLOCK_TABLE_DETAIL &detail);
    void endTable();
    void beginCell(const MD_BLOCK_TD_DETAIL &detail, bool header);
    void endHeaderCell();
    int placeOf(int column) const;
    void addWords(const QString &text);
    void addFormula(const FormulaMarks::Formula &formula);
    QSizeF roomForFormula() const;
    void insertDisplayed(const FormulaMarks::Formula &formula);
    void insertColoured(const QString &code, const QString &language);

    RenderedSection &m_target;
    const RenderStyle &m_style;
    const FormulaMarks m_formulas;
    QList<HtmlTag> m_tags; // of the text, in their order
    qsizetype m_nextTag = 0;
    QTextCursor m_cursor;
    QTextCharFormat m_base;
    QTextCharFormat m_block;        // of the open block: the base's, a heading's, a table cell's
    QList<QTextCharFormat> m_spans; // one per open span
    QList<List> m_lists;
    QString m_marker;            // of the item whose first block is still to come
    QList<QVariant> m_quotes;    // px where the bar of each open quote is
    bool m_fresh = true;         // the cursor stands in an empty block nobody used yet
    bool m_firstOfItem = false;  // its marker was just taken: no gap above
    bool m_afterFormula = false; // in a line of its own: what follows starts the next
    bool m_afterSummary = false; // what follows starts the next line
    bool m_dropped = false;      // a tag that is not shown came last
    bool m_inCode = false;
    QString m_code, m_codeLanguage;
    QTextTable *m_table = nullptr;
    int m_row = -1, m_column = -1;
    bool m_mirrored = false; // the table: its first column stands last
};

} // namespace fireside
