#pragma once
#include "engine/model/describe.h"

#include <QtGlobal>

class QDataStream;

namespace fireside {

/// A description as bytes, for this program's own cache: only the same build reads them back.
void write(QDataStream &out, const ModelSummary &summary);
/// What was damaged leaves the stream with an error.
ModelSummary readSummary(QDataStream &in);
/// Changes with the layout of what is stored.
quint32 summaryLayout();

} // namespace fireside
