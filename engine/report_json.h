#pragma once
#include "engine/backend/device_report.h"

#include <nlohmann/json.hpp>

namespace fireside {

/// A report as JSON, as `fireside-cli devices --json` prints it: sizes in bytes, null where
/// unknown; properties as an object in their order.
nlohmann::ordered_json toJson(const DeviceReport &report);

/// The report that became this. Error(BadInput) where it is none.
DeviceReport reportFromJson(const nlohmann::ordered_json &json);

} // namespace fireside
