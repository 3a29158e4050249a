#pragma once
#include "app/runtime/engine_types.h"

#include <filesystem>

namespace fireside {

/// Where the engine would put a model, from the header of its file, the devices with the RAM of
/// this moment, and the speeds in the engine's cache folder. On any thread; never throws: what is
/// wrong is the reason. beside: a model of this process, which takes what it was planned to take.
PlacementStatus previewPlacement(const QString &path, const LoadSettings &settings,
                                 const QList<DeviceStatus> &devices,
                                 const std::filesystem::path &cacheFolder,
                                 const ModelStatus *beside = nullptr);

} // namespace fireside
