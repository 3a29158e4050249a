#pragma once
#include <QGuiApplication>
#include <QLabel>
#include <QRectF>

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

} // namespace fireside
