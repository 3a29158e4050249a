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
/// order. Not in code; none that is open; and no prices: after the first dollar sign and before the
/// last there is no space, no letter or digit touches them outside, and "$5 for this, 6$" holds
/// words. Linear but for the search of an end within one paragraph.
QList<FoundFormula> findFormulas(QStringView text);

} // namespace fireside
