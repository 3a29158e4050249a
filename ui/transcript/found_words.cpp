#include "ui/transcript/found_words.h"

#include <algorithm>

namespace fireside {

QStringList searchWords(const QString &search)
{
    return search.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

QList<std::pair<qsizetype, qsizetype>> findWords(const QString &text, const QStringList &words)
{
    QList<std::pair<qsizetype, qsizetype>> found;
    for (const QString &word : words) {
        for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0 && !word.isEmpty();
             at = text.indexOf(word, at + word.size(), Qt::CaseInsensitive))
            found.append({at, word.size()});
    }
    std::sort(found.begin(), found.end());
    qsizetype end = 0;
    erase_if(found, [&end](const auto &range) {
        if (range.first < end)
            return true;
        end = range.first + range.second;
        return false;
    });
    return found;
}

} // namespace fireside
