#pragma once
#include "engine/engine.h"

// What loading and choosing a place have in common.
namespace fireside {

/// What load options say about where.
PlacementRequest requestOf(const LoadOptions &options);
/// Error(Unsupported) with the path where the model cannot be loaded, or not for that.
void requireUsable(const ModelSummary &summary, const LoadOptions &options);

} // namespace fireside
