#pragma once
#include "app/runtime/engine_types.h"

#include <filesystem>

namespace fireside {

/// Where the engine would put a model, from the header of its file, the devices with the RAM of
/// this moment, and the speeds in the engine's cache folder. On any thread; never throws: what is
/// wrong is the reason.
PlacementStatus previewPlacement(const QString &path, const LoadSettings &settings,
                                 const QList<DeviceStatus> &devices,
                                 const std::filesystem::path &cacheFolder);

} // namespace fireside
