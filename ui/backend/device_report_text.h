#pragma once
#include "app/runtime/engine_types.h"

#include <QString>

namespace fireside {

/// Devices, checks, the loaded model (nullptr: none) with its memory and every way to run it, and
/// the last load that failed, as plain text for a bug report, in English in every language. Of
/// paths only the model's file is named: they hold user names.
QString deviceReportText(const QList<DeviceStatus> &devices, const ModelStatus *model,
                         const LoadFailure &failure = {});

/// "16 GB, 12 GB of it free", or "unknown".
QString memoryText(const DeviceStatus &device);

/// "passed", "failed", "not reached": an outcome in a word, for screen readers and reports.
QString outcomeText(CheckStatus::Outcome outcome);

} // namespace fireside
