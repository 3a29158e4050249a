#pragma once
#include <QString>

namespace fireside {

/// Another place with the same content.
struct ModelCopy
{
    QString source; // "LM Studio"
    QString path;
    bool operator==(const ModelCopy &) const = default;
};

} // namespace fireside
