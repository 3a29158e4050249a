#pragma once
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QRectF>
#include <QString>

namespace fireside {

/// A place that is laid out from left to right within `whole`, as it lies in a window whose
/// language is written the other way. Its own inverse.
inline QRectF mirrored(const QRectF &whole, QRectF place)
{
    if (QGuiApplication::isRightToLeft())
        place.moveLeft(whole.left() + whole.right() - place.right());
    return place;
}

/// A label whose text can be selected lays out each paragraph by its own direction. In a window
/// that is read from the right, a name or number would stand at the far end of its line.
inline void standAtStart(QLabel &label)
{
    if (QGuiApplication::isRightToLeft())
        label.setAlignment(Qt::AlignRight | Qt::AlignAbsolute |
                           (label.alignment() & Qt::AlignVertical_Mask));
}

/// A sentence that may begin with a foreign name, in the order of words of the window's language:
/// what comes first would decide about the rest else.
inline QString inOrder(const QString &sentence)
{
    constexpr char16_t kRightToLeft = 0x200F; // a mark that is not seen
    return QGuiApplication::isRightToLeft() && !sentence.isEmpty() ? QChar(kRightToLeft) + sentence
                                                                   : sentence;
}

/// A path within a sentence, which begins at its own left whatever the sentence does.
inline QString pathText(const QString &path)
{
    constexpr char16_t kIsolate = 0x2066, kEnd = 0x2069;
    const QString text = QDir::toNativeSeparators(path);
    return QGuiApplication::isRightToLeft() ? QChar(kIsolate) + text + QChar(kEnd) : text;
}

} // namespace fireside
