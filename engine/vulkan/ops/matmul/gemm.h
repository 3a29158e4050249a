#pragma once
#include "engine/backend/ops/linear.h"

#include <span>

// Products of many rows, in tiles; linear.cpp says from how many rows on, and checks shapes (the
// two weights of a gated product are of one type there).
//
// What a tile costs, and so what the kernels are built around. A tile of R rows and N outs reads
// (R + N) · 2 bytes of F16 for R · N multiply-adds per column: on a large GPU (130 compute units,
// 24 bytes per clock each from the second-level cache, 1,000 multiply-adds per clock on matrices)
// 128 × 128 keeps the caches just ahead of the arithmetic, if x is F16; hence the conversion of x
// to F16 beforehand, by the op that writes it where it can. Decoding runs beside the products.
// Below about 64 rows the product is as fast as memory. Measured on an H200: 506 TFLOP/s for the
// multiply-adds alone, 447 with their factors from shared memory; gate and up of 512 rows of Q4_K
// 290.
namespace fireside::vulkan {

class Recorder;
/// Whether tiled products with this weight round x to F16.
bool roundsInput(const Recorder &r, const Weight &weight, std::int64_t rows);
void linearTiled(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                 Accumulate mode);
/// out = act(x · weightᵀ + bias)
void activatedLinearTiled(Recorder &r, const LinearInput &x, const LinearTarget &target,
                          Activation act);
void gatedLinearTiled(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                      Activation act, const Tensor &out);

} // namespace fireside::vulkan
