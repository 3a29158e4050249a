#pragma once
#include <QCoreApplication>

namespace fireside {

/// The context of the words about servers elsewhere.
struct RemoteTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Remote)
};

/// Words of others in a sentence of ours: on one line, short, without what is not seen.
QString foreignWords(const QString &text, qsizetype longest = 300);

} // namespace fireside
