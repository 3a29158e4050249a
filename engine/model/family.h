#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/transform_heads.h"

#include <cstdint>
#include <string_view>

namespace fireside {

/// Which layers look back over a window of positions only, as config.json says it.
enum class WindowRule {
    None,
    Always,  // every layer, over `sliding_window`
    Switched // with `use_sliding_window`: those of `layer_types`, or from `max_window_layers` on
};

/// Whether feed-forwards are mixtures of experts.
enum class MixtureRule {
    Never,
    WhereCounted, // in a GGUF with an expert_count: one name for dense and sparse models
    Always
};

/// One row of the families: how its models differ from Llama 2, in the words of its makers' code
/// and of GGUF. Readers of both forms ask the row, never the name.
struct Family
{
    std::string_view name;        // general.architecture of a GGUF
    std::string_view transformer; // class in config.json

    RopePairing ggufPairing = RopePairing::HalfSplit; // rows of q and k there; folders have halves
    bool headNorms = false;                           // RMS norms over each head of q and k
    std::int64_t headDim = 0; // where config.json has no head_dim; 0: width / heads

    WindowRule window = WindowRule::None;
    std::int64_t windowMissing = 0; // where config.json has no sliding_window; null is none

    MixtureRule mixture = MixtureRule::WhereCounted;
    bool wideExperts = false;      // each as wide as the plain feed-forward would be
    bool expertsNormalize = false; // in a folder too: the chosen weights sum to 1, without a key
};

} // namespace fireside
