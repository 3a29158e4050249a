#pragma once
#include <QList>
#include <QString>
#include <QStringView>

namespace fireside {

enum class CodeColour { Keyword, Type, String, Comment, Number, Function };

struct ColouredRange
{
    qsizetype start = 0, length = 0;
    CodeColour colour = CodeColour::Keyword;
    bool operator==(const ColouredRange &) const = default;
};

/// What of a piece of code gets which colour. One linear pass over strings, comments, numbers and
/// words, driven by a table of languages; an unknown language gets none. Ranges come in order,
/// without overlap.
QList<ColouredRange> colourCode(QStringView code, const QString &language);

} // namespace fireside
