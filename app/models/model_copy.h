#pragma once
#include <QString>

namespace fireside {

/// Another place with the same content.
struct ModelCopy
{
    QString source; // "LM Studio"
    QString path;
    QString name{}; // that it has there; empty: its file's
    bool operator==(const ModelCopy &) const = default;
};

} // namespace fireside
