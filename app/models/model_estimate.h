#pragma once
#include "app/models/model_library.h"

namespace fireside {

/// What is known of a model that is not here.
struct RemoteModelFacts
{
    QString name;          // its file's, or the folder's
    qint64 bytes = -1;     // −1: not known
    qint64 parameters = 0; // of all files of the repository alike; 0: not known
    int contextTrained = 0;
    QString architecture, license;
};

/// "Q4_K_M", as names of files have it; empty: it names none.
QString quantisationInName(const QString &name);

/// A description without the file: its quantisation is what its name says, and whether it fits is
/// an estimate from its size, the context memory being that of usual models of so many weights.
ModelEntry estimateModel(const RemoteModelFacts &facts, const LoadSettings &asked,
                         const QList<DeviceStatus> &devices);

} // namespace fireside
