#pragma once
#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_document.h"

#include <QTextCursor>

#include <md4c.h>

namespace fireside {

/// Turns md4c's events into a QTextDocument.
class MarkdownBuilder
{
public:
    /// `formulas`: those that the text has marks of.
    explicit MarkdownBuilder(RenderedSection &target, const FormulaMarks &formulas = {});

    /// false: not to be shown as Markdown (a table beyond all measure).
    bool build(const QByteArray &utf8);
    void appendCode(const QString &code, const QString &language, const Section *section = nullptr);
    void appendPlain(const QString &text);

private:
    struct List
    {
        bool ordered = false;
        bool tight = true;
        unsigned next = 1;
    };

    int enterBlock(MD_BLOCKTYPE type, void *detail);
    int leaveBlock(MD_BLOCKTYPE type);
    void enterSpan(MD_SPANTYPE type, void *detail);
    void leaveSpan(MD_SPANTYPE type);
    void addText(MD_TEXTTYPE type, const QString &text);

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
    void insertDisplayed(const FormulaMarks::Formula &formula);
    void insertColoured(const QString &code, const QString &language);

    RenderedSection &m_target;
    const FormulaMarks m_formulas;
    QTextCursor m_cursor;
    QTextCharFormat m_base;
    QTextCharFormat m_block;        // of the open block: the base's, a heading's, a table cell's
    QList<QTextCharFormat> m_spans; // one per open span
    QList<List> m_lists;
    QString m_marker; // of the item whose first block is still to come
    int m_quotes = 0;
    bool m_fresh = true;         // the cursor stands in an empty block nobody used yet
    bool m_firstOfItem = false;  // its marker was just taken: no gap above
    bool m_afterFormula = false; // in a line of its own: what follows starts the next
    bool m_inCode = false;
    QString m_code, m_codeLanguage;
    QTextTable *m_table = nullptr;
    int m_row = -1, m_column = -1;
    bool m_mirrored = false; // the table: its first column stands last
    int m_cellsBefore = 0;
};

} // namespace fireside
