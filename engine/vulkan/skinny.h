#pragma once
#include "engine/backend/ops.h"
#include "engine/tensor/dtype.h"

#include <cstdint>
#include <span>

// Products of a few rows on cooperative matrices: several chats in one batch, short prompts. Each
// weight is read and decoded once per launch. Shapes are checked in linear.cpp.
namespace fireside::vulkan {

class Recorder;
struct Capabilities;

/// How a launch is spread over the device; the names are those of shaders/ops/skinny_matrix.comp.
struct SkinnyShape
{
    std::uint32_t subgroups = 16, across = 1, tiles = 2, held = 2, buffers = 2;
    std::uint32_t pieces = 1, tilesPerGroup = 2;
    bool exact = false; // x in two parts

    std::int64_t paddedCols(DType weight) const;
    std::uint32_t sharedBytes(bool gated) const; // besides the decoder's own
};

/// Up to how many rows products with weights of this type should go here; 0: the device or the
/// build cannot.
std::int64_t mostSkinnyRows(const Recorder &r, DType weight);

/// rows of x; outs of all targets together
SkinnyShape skinnyShape(const Capabilities &device, DType weight, std::int64_t rows,
                        std::int64_t outs, std::int64_t cols, bool gated);

void linearSkinny(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                  Accumulate mode);
/// Both matrices must lie in the same type.
void gatedLinearSkinny(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                       Activation act, const Tensor &out);

// --- the launches, for measurements ---

/// x, with its norm taken, as the kernel reads it for weights of this type.
Tensor prepareSkinny(Recorder &r, const LinearInput &x, DType weight, const SkinnyShape &shape);
/// Up to three targets of one type of weights and one of outputs, or the gate and up. `x` is what
/// was prepared, of `rows` rows and `cols` columns; `number` tells launches apart that may run at
/// the same time.
struct SkinnyLaunch
{
    Tensor x;
    std::int64_t rows = 0, cols = 0;
    std::span<const LinearTarget> targets;
    bool add = false, gated = false;
    std::uint32_t activation = 0, number = 0;
};
void launchSkinny(Recorder &r, const SkinnyLaunch &launch, const SkinnyShape &shape);

} // namespace fireside::vulkan
