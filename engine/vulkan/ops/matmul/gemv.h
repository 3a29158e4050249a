#pragma once
#include "engine/backend/ops/linear.h"

#include <span>

// Products of a few rows: each weight is read once per four rows. Shapes are checked in
// linear.cpp.
namespace fireside::vulkan {

class Recorder;
/// Whether products of few rows by weights of this type may take x as whole numbers.
bool mayReadQ8(const Recorder &r, DType type);
void linearOfFewRows(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                     Accumulate mode);
/// Both matrices must lie in the same type.
void gatedLinearOfFewRows(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                          Activation act, const Tensor &out);

struct ExpertRows;
bool fitsExpertsOfFewRows(const Recorder &r, const Weight &weight);
/// Products of few rows with experts. False where they do not fit these kernels, and nothing is
/// done.
bool expertsOfFewRows(Recorder &r, const ExpertRows &product);

} // namespace fireside::vulkan
