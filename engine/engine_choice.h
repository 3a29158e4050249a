#pragma once
#include "engine/engine.h"

// What loading and choosing a place have in common.
namespace fireside {

/// Where the speeds of devices and models are kept; empty: nowhere.
std::filesystem::path speedsIn(const std::filesystem::path &cacheFolder);
/// Error(Unsupported) with the path where the model cannot be loaded, or not for that.
void requireUsable(const ModelSummary &summary, const LoadOptions &options);

} // namespace fireside
