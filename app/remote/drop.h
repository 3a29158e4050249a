#pragma once
#include <QObject>

#include <memory>

namespace fireside {

/// Cancels and deletes an object that may be the sender of the signal being handled.
template <typename Object>
void drop(std::unique_ptr<Object> &object)
{
    if (!object)
        return;
    QObject::disconnect(object.get(), nullptr, nullptr, nullptr);
    object->cancel();
    object.release()->deleteLater();
}

} // namespace fireside
