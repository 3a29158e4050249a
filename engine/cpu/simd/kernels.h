#pragma once
#include "engine/core/cpu_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The hot inner loops, one table per instruction set; all but the plain ones are written once, in
// vector_loops.h and tile_loops.h over lanes.h. The <isa>.cpp files include nothing but these,
// tensor/blocks.h and intrinsics, and keep all code in an unnamed namespace: code compiled for a
// newer processor must never be merged into common inline functions.
namespace fireside {

/// What a row of the gated delta rule (engine/backend/ops/gated_delta_rule.h) brings to all columns
/// of a head's state S [keys, columns].
struct DeltaRow
{
    const float *decay, *key;               // [keys]
    const float *decayedKey, *decayedQuery; // [keys]
    float rate, overlap;                    // β, k·q
};

/// Vector loops on plain floats and halves; any n, any alignment, out may be an input.
struct VectorKernels
{
    Isa isa;
    float (*dotF32)(const float *a, const float *b, std::size_t n);
    float (*dotF16)(const std::uint16_t *a, const float *b, std::size_t n);
    float (*sumSquares)(const float *x, std::size_t n);
    void (*scaleMul)(float *out, const float *x, const float *w, float scale,
                     std::size_t n);                                           // x·scale·w
    void (*addScaled)(float *out, const float *x, float scale, std::size_t n); // out += s·x
    void (*addScaledF16)(float *out, const std::uint16_t *x, float scale, std::size_t n);
    void (*scale)(float *x, float factor, std::size_t n);
    float (*maximum)(const float *x, std::size_t n); // ignores NaN; −∞ when nothing is left
    float (*expSum)(float *x, float subtract, std::size_t n); // x = exp(x − subtract), returns Σ
    void (*softcap)(float *x, float cap, std::size_t n);      // x = cap·tanh(x / cap)
    void (*siluMul)(float *out, const float *gate, const float *up, std::size_t n);
    void (*sigmoidMul)(float *out, const float *gate, const float *up, std::size_t n);
    void (*geluTanhMul)(float *out, const float *gate, const float *up, std::size_t n);
    void (*geluErfMul)(float *out, const float *gate, const float *up, std::size_t n);
    /// δ = rate·(value − Sᵀ·decayedKey); out = Sᵀ·decayedQuery + overlap·δ; S = decay·S + key ⊗ δ
    /// for n columns of S, whose rows lie `stride` apart.
    void (*deltaRow)(float *S, std::size_t stride, std::size_t keys, const DeltaRow &row,
                     const float *value, float *out, std::size_t n);
    /// s = decay·s + input·b, returns Σ s·c
    float (*scan)(float *s, float decay, float input, const float *b, const float *c,
                  std::size_t n);
    /// s = exp(step·a)·s + input·b, returns Σ s·c
    float (*selectiveScan)(float *s, const float *a, float step, float input, const float *b,
                           const float *c, std::size_t n);
    void (*toHalf)(std::uint16_t *out, const float *x, std::size_t n); // round to nearest even
    void (*fromHalf)(float *out, const std::uint16_t *x, std::size_t n);
};

/// Tables this program was built with that this processor can run, best first, baseline last.
std::span<const VectorKernels *const> availableVectorKernels();
/// The first of them, or the one named by FIRESIDE_ISA (isaWord()).
const VectorKernels &vectorKernels();
Isa selectedIsa();
/// Why FIRESIDE_ISA was not followed, as a sentence; empty when it was, or was not set.
const std::string &isaOverrideProblem();
/// For tests: makes selectedIsa() this one, which must be available; not while ops run.
void selectIsa(Isa isa);

/// "avx2" → Avx2 and so on, in any case; nullopt for anything else.
std::optional<Isa> parseIsa(std::string_view word);
std::string_view isaWord(Isa isa); // … and back
struct IsaChoice
{
    Isa isa = Isa::Baseline;
    std::string problem;
};
/// Pure: the best of `available` (best first, not empty), or the one asked for if it is among them.
IsaChoice chooseIsa(std::string_view asked, std::span<const Isa> available);

/// Tables of the build, each in its own file; only to be called where isasOf() allows.
const VectorKernels &baselineVectorKernels();
const VectorKernels &sse41VectorKernels();
const VectorKernels &avx2VectorKernels();
const VectorKernels &avxVnniVectorKernels();
const VectorKernels &avx512VectorKernels();
const VectorKernels &avx512VnniVectorKernels();
const VectorKernels &amxVectorKernels();
const VectorKernels &neonVectorKernels();
const VectorKernels &neonI8mmVectorKernels();

} // namespace fireside
