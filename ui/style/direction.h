#pragma once
#include <QGuiApplication>
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

} // namespace fireside
