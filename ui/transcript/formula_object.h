#pragma once
#include <QSizeF>
#include <QString>
#include <QTextFormat>
#include <QTextObjectInterface>

class QTextBlock;
class QTextCursor;
class QTextDocument;

namespace fireside {

/// A typeset formula is one character of a document.
inline constexpr int kFormulaObject = QTextFormat::UserObject + 1;

/// Replaces the formulas of a Markdown text by marks that Markdown leaves alone.
class FormulaMarks
{
public:
    struct Formula
    {
        QString source; // with its delimiters
        QString body;
        bool display = false;
    };
    /// `text` must not contain the mark's own two characters; markless() sees to it.
    static QString markless(QString text);
    QString hide(const QString &text);
    /// Puts the sources back, for what is shown as it was written.
    QString restore(const QString &text) const;
    bool isEmpty() const { return m_formulas.isEmpty(); }

    /// Calls text(QString) and formula(Formula) for the pieces of a text with marks.
    template <typename Text, typename Show>
    void split(const QString &marked, Text text, Show formula) const
    {
        qsizetype at = 0, end = 0;
        while (const Formula *found = next(marked, at, end)) {
            if (const qsizetype start = marked.lastIndexOf(QStringLiteral("$\uFDE0"), end - 1);
                start > at)
                text(marked.mid(at, start - at));
            formula(*found);
            at = end;
        }
        if (at < marked.size())
            text(marked.mid(at));
    }

private:
    const Formula *next(const QString &marked, qsizetype from, qsizetype &end) const;
    QList<Formula> m_formulas;
};

/// Inserts a formula in a text of this size, px; false, and nothing inserted, when it is not
/// understood. One that is larger than `largest` px is made smaller; empty: any is as it is.
bool insertFormula(QTextCursor &cursor, const FormulaMarks::Formula &formula,
                   const QTextCharFormat &around, double textPixels, QSizeF largest = {});

/// Lets a document draw its formulas. After they are inserted: from here on each change is laid
/// out.
void drawFormulas(QTextDocument &document);

/// Px that a format's formula is wide; 0: it is none.
double formulaWidth(const QTextFormat &format);

/// A part of a block's text with the sources of its formulas, and the place in the block that each
/// character stands for, with one more at the end.
struct SourceText
{
    QString text;
    QList<int> places;
};
SourceText sourceText(const QTextBlock &block, int from = 0, int length = -1);

/// Where words occur in a block, also in its formulas' sources: start and length in the block.
QList<std::pair<int, int>> findInBlock(const QTextBlock &block, const QStringList &words);

} // namespace fireside
