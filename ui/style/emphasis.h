#pragma once
#include <QString>
#include <QTextCharFormat>

#include <algorithm>

namespace fireside {

/// Arabic and Hebrew have no italics, and many fonts that have their letters upright lack them in
/// italics: boxes would be shown.
inline bool hasItalics(const QString &text)
{
    return std::none_of(text.cbegin(), text.cend(), [](QChar letter) {
        return letter.direction() == QChar::DirR || letter.direction() == QChar::DirAL;
    });
}

/// Bold where the script has no italics.
inline QTextCharFormat emphasised(QTextCharFormat format, const QString &text)
{
    if (format.fontItalic() && !hasItalics(text)) {
        format.setFontItalic(false);
        format.setFontWeight(std::max(format.fontWeight(), int(QFont::DemiBold)));
    }
    return format;
}

} // namespace fireside
