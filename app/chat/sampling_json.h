#pragma once
#include "app/runtime/engine_types.h"

#include <QJsonObject>

namespace fireside {

/// Sampling settings as they are stored with a conversation and in the record of a reply.
QJsonObject toJson(const SamplingSettings &sampling);
/// Missing, mistyped and out-of-range members keep the value in `fallback`.
SamplingSettings samplingFromJson(const QJsonObject &json, const SamplingSettings &fallback = {});

/// Every number brought into the range the engine accepts; NaN becomes the default.
SamplingSettings clamped(const SamplingSettings &sampling);

} // namespace fireside
