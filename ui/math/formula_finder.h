#pragma once
#include <QList>
#include <QStringView>

namespace fireside {

/// A formula in a Markdown text.
struct FoundFormula
{
    qsizetype start = 0, length = 0; // with its delimiters
    qsizetype bodyStart = 0, bodyLength = 0;
    bool display = false;
};

/// Formulas between $…$, $$…$$, \(…\), \[…\] and in the environments that are understood, in their
/// order. Not in code; none that is open; and no prices: there is no space after the first dollar
/// sign and before the last, letters and digits touch only short terms ("the $n$th"), and no body
/// is a number with words ("$5 for this, 6$"). In scripts without spaces, as Chinese, words may
/// touch. Linear but for the search of an end within one paragraph.
QList<FoundFormula> findFormulas(QStringView text);

} // namespace fireside
