#pragma once
#include "engine/backend/ops.h"

#include <span>

// Products of many rows, in tiles; linear.cpp says from how many rows on. Shapes are checked there.
namespace fireside::vulkan {

class Recorder;
void linearTiled(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                 Accumulate mode);
void gatedLinearTiled(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                      Activation act, const Tensor &out);

} // namespace fireside::vulkan
