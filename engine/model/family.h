#pragma once
#include "engine/model/config.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace fireside {

class GgufKeys;
class JsonKeys;
class Network;

/// Which layers look back over a window of positions only, as config.json says it.
enum class WindowRule {
    None,
    Always,   // every layer, over `sliding_window`
    Switched, // with `use_sliding_window`: those of `layer_types`, or from `max_window_layers` on
    ByLayer,  // those that `layer_types` calls sliding
};

/// Whether feed-forwards are mixtures of experts.
enum class MixtureRule {
    Never,
    WhereCounted, // in a file with a count of experts: one name for dense and sparse models
    Always
};

/// How a folder's tensor becomes the one of the table: its rows in another order, its numbers
/// changed. A tensor of two dimensions may have to be transposed first.
struct TensorForm
{
    /// The row of the file's matrix that becomes `row`; `rows` are wanted.
    using Order = std::int64_t (*)(std::int64_t row, std::int64_t rows, const Config &config);
    enum class Values { Same, PlusOne, NegativeExp };
    bool transposed = false;
    Order order = nullptr;
    std::int64_t timesRows = 1; // the file's matrix has so many times the rows wanted
    Values values = Values::Same;

    bool plain() const { return !transposed && order == nullptr && values == Values::Same; }
};

/// One tensor, or all whose names begin so, under our name, which is GGUF's usual one, and under
/// the file's.
struct TensorName
{
    std::string_view name;   // "ffn_norm."; within a layer without "blk.N."
    std::string_view folder; // "post_attention_layernorm."
    TensorForm form{};       // of a folder's tensor
};

/// One row of the families: how its models differ from Llama 2, in the words of its makers' code
/// and of GGUF. Readers of both forms ask the row, never the name.
struct Family
{
    std::string_view name;        // general.architecture of a GGUF
    std::string_view transformer; // class in config.json

    RopePairing ggufPairing = RopePairing::HalfSplit;   // rows of q and k in a GGUF
    RopePairing folderPairing = RopePairing::HalfSplit; // and in a folder
    RopeUse rope = RopeUse::Main;
    double ropeBase = 10000;        // where config.json has none
    bool yarnIsLongRope = false;    // the older name of a rope_type with two lists of factors
    Mixer mixer = Mixer::Attention; // of most layers
    bool withoutAttention = false;  // no layer has heads
    std::int64_t headDim = 0;       // where config.json has no head_dim; 0: width / heads

    NormKind norm = NormKind::Rms;
    NormPlaces normPlaces = NormPlaces::Before;
    double normEps = 1e-6; // where config.json has none
    HeadNorm headNorm = HeadNorm::None;
    bool headNormAfterRope = false;
    bool latent = false; // multi-head latent attention

    WindowRule window = WindowRule::None;
    std::int64_t windowMissing = 0; // where config.json has no sliding_window; null is none
    std::int64_t windowPeriod = 0;  // in a GGUF: of so many layers the last has no window; 1: none

    FeedForward feedForward = FeedForward::Gated;
    Activation activation = Activation::SiLU; // where the file names none
    MixtureRule mixture = MixtureRule::WhereCounted;
    bool wideExperts = false;      // each as wide as the plain feed-forward would be
    bool expertsNormalize = false; // in a folder the chosen weights sum to 1, without a key
    bool ggufNormalize = false;    // in a GGUF they do, unless it says otherwise
    Routing::Score score = Routing::Score::SoftmaxAll;
    bool groupByBestTwo = false;
    bool choiceBias = false; // for choosing experts

    std::span<const TensorName> names{}; // before those that all share; see tensor_names.cpp
    std::span<const TensorName>
        ggufNames{}; // GGUF files that do not use the usual names: ours → theirs
    std::string_view layerPrefix = "model.layers."; // of a folder
    std::string_view modelPrefix = "model.";        // of names above, which a folder may lack
    /// Of a folder's heads for drafting, where they are no further layers: what stands before the
    /// names of their layers, before the head's number, and what joins their inputs.
    std::string_view draftPrefix{};
    std::span<const TensorName> draftNames{};
    bool draftHiddenFirst = false;
    /// What config.json's classes say where a key is missing or null: a JSON object, or nothing.
    std::string_view defaults{};
    /// How layers of a folder differ in size, before the rotary embeddings, which need it.
    void (*folderLayers)(const JsonKeys &keys, Config &config) = nullptr;
    /// What else the files say, after everything above was read.
    void (*folder)(const JsonKeys &keys, Config &config) = nullptr;
    void (*gguf)(const GgufKeys &keys, Config &config) = nullptr;
    /// nullptr: Decoder
    std::unique_ptr<Network> (*network)(Config config) = nullptr;
};

/// The same family under the name of another class.
constexpr Family sameAs(Family family, std::string_view transformer)
{
    family.transformer = transformer;
    return family;
}

} // namespace fireside
