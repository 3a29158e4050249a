// Formulas in Markdown, and the words around them.
#include "ui/math/formula.h"
#include "ui/style/emphasis.h"
#include "ui/transcript/markdown_builder.h"

#include <QFontInfo>
#include <QTextBlock>

namespace fireside {

/// What stands behind a formula in a line of its own starts the next line.
void MarkdownBuilder::addWords(const QString &text)
{
    if (m_afterFormula && text.trimmed().isEmpty())
        return;
    QString words = text;
    if (m_afterFormula) {
        startBlock(0);
        while (words.startsWith(QLatin1Char(' ')))
            words.remove(0, 1);
    }
    m_cursor.insertText(words, emphasised(textFormat(), words));
}

void MarkdownBuilder::addFormula(const FormulaMarks::Formula &formula)
{
    if (formula.display && !m_table && parseFormula(formula.body))
        return insertDisplayed(formula);
    const QFont font = textFormat().font();
    const double pixels = QFontInfo(textFormat().hasProperty(QTextFormat::FontPointSize)
                                        ? font
                                        : m_target.document->defaultFont())
                              .pixelSize();
    if (m_afterFormula)
        startBlock(0);
    if (!insertFormula(m_cursor, formula, textFormat(), pixels)) {
        QString source = formula.source;
        source.replace(QLatin1Char('\n'), QChar::LineSeparator);
        m_cursor.insertText(source, textFormat());
    }
}

/// In a block of its own, which can be moved sideways.
void MarkdownBuilder::insertDisplayed(const FormulaMarks::Formula &formula)
{
    if (m_cursor.block().text().endsWith(QChar::LineSeparator))
        m_cursor.deletePreviousChar();
    if (m_afterFormula || !m_cursor.block().text().isEmpty())
        startBlock(0);
    QTextBlockFormat format = m_cursor.blockFormat();
    format.setLineHeight(100, QTextBlockFormat::ProportionalHeight);
    format.setNonBreakableLines(true);
    format.setProperty(kBlockFormula, true);
    m_cursor.setBlockFormat(format);
    insertFormula(m_cursor, formula, textFormat(),
                  QFontInfo(m_target.document->defaultFont()).pixelSize());
    m_target.formulas.append(m_cursor.blockNumber());
    m_afterFormula = true;
}

} // namespace fireside
