#pragma once
#include <QString>
#include <QTextCharFormat>

#include <algorithm>

namespace fireside {

/// Arabic and Hebrew have no italics, and a font whose upright letters include theirs often lacks
/// them in the slanted ones: boxes would stand there. Bold says the same.
inline QTextCharFormat emphasised(QTextCharFormat format, const QString &text)
{
    const auto fromRight = [](QChar letter) {
        return letter.direction() == QChar::DirR || letter.direction() == QChar::DirAL;
    };
    if (format.fontItalic() && std::any_of(text.cbegin(), text.cend(), fromRight)) {
        format.setFontItalic(false);
        format.setFontWeight(std::max(format.fontWeight(), int(QFont::DemiBold)));
    }
    return format;
}

} // namespace fireside
