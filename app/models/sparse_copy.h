#pragma once
#include "app/models/model_library.h"

#include <QByteArray>
#include <QList>

namespace fireside {

/// Files of which only the beginnings are known.
struct SparseCopy
{
    struct File
    {
        QString name; // relative
        qint64 size = 0;
        QByteArray start;
    };
    QList<File> files;
    QString path; // of the model among them: "/model.gguf", or "/" and the folder
};

struct CopyDescription
{
    QList<qsizetype> tooShort; // files whose header is longer than what is known of it
    ModelEntry entry;          // when none is
    QString problem;           // it could not be tried
};

/// Describes a model by its header alone: in a temporary folder it gets files of the full size
/// whose rest is a hole. For any thread; never throws.
CopyDescription describeCopy(const SparseCopy &copy, const LoadSettings &asked,
                             const QList<DeviceStatus> &devices);

} // namespace fireside
