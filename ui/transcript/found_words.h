#pragma once
#include <QList>
#include <QString>
#include <QStringList>

#include <utility>

namespace fireside {

/// The words of what somebody searches for.
QStringList searchWords(const QString &search);

/// Where words occur in a text, ignoring case: start and length, in order, without overlap.
QList<std::pair<qsizetype, qsizetype>> findWords(const QString &text, const QStringList &words);

} // namespace fireside
