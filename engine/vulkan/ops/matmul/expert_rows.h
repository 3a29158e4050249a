#pragma once
#include "engine/backend/ops/linear.h"
#include "engine/backend/ops/route.h"

#include <cstdint>
#include <optional>

namespace fireside::vulkan {

class Recorder;

/// Up to so many rows of a product per head each one is multiplied on its own; beyond, rows of one
/// matrix share tiles.
inline constexpr std::int64_t kFewRows = 8;

/// The experts of each token are yet to be chosen, by its logits.
struct ExpertChoice
{
    Tensor logits, shares; // F32 [tokens, experts] without gaps, [tokens, used]
    const Routing *routing = nullptr;
};

/// Error(Unsupported) for matrices of one row each whose columns are no multiple of 32: they lie as
/// vectors do, close together (weight_source.h), and products would read past them.
void requireMatrices(const char *op, const Weight &weight);

/// Products of few rows with matrices chosen on the device; see
/// shaders/ops/matmul/expert_rows.comp.
struct ExpertRows
{
    const char *op = "";
    Tensor x;
    const Weight *norm = nullptr;
    float eps = 0;
    const Weight *weight = nullptr, *up = nullptr; // up: gated
    const Weight *bias = nullptr, *upBias = nullptr;
    std::optional<Activation> act{};
    Tensor out;
    bool add = false;
    const Tensor *ids = nullptr;          // [tokens, used]
    const Tensor *shares = nullptr;       // sum over a token's experts, with these
    std::int64_t heads = 0;               // instead of ids: each head its own matrix …
    std::int64_t xStep = 0, outStep = 0;  // … and so many columns from one to the next
    const ExpertChoice *choice = nullptr; // writes ids and shares
};
void dispatchExpertRows(Recorder &r, const ExpertRows &product);

/// A sum over more experts per token than this goes through tiles.
std::int64_t maxSummedExperts();

} // namespace fireside::vulkan
