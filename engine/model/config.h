#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/transform_heads.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fireside {

class ModelFile;

/// The sparse feed-forward of a mixture of experts.
struct ExpertConfig
{
    std::int64_t count = 0;       // E; 0: no mixture
    std::int64_t used = 0;        // k of them for each token
    std::int64_t ffn = 0;         // width of one expert
    bool normalize = false;       // the chosen weights sum to 1
    std::vector<bool> denseLayer; // layers that keep a plain feed-forward; empty: none
};

/// The numbers of a transformer, read from a file and checked: every one is positive and bounded,
/// so that products of them cannot overflow 63 bits.
struct Config
{
    std::string architecture; // "llama"
    std::int64_t layers = 0;
    std::int64_t hidden = 0;  // model width
    std::int64_t heads = 0;   // query heads
    std::int64_t kvHeads = 0; // divides heads
    std::int64_t headDim = 0; // even
    std::int64_t ffn = 0;     // width of the gated feed-forward
    std::int64_t vocabulary = 0;
    std::int64_t contextTrained = 0;
    float rmsEps = 1e-5f;
    float embeddingScale = 1;
    Activation activation = Activation::SiLU; // of the feed-forward
    Rope rope;
    bool tiedOutput = false;    // the output matrix is the embedding
    bool headNorms = false;     // RMS norms over each head of q and k
    bool attentionBias = false; // biases the file must have; others are taken when they are there
    bool ffnBias = false;
    std::vector<std::int64_t> windows; // sliding window of each layer, 0: none; empty: none at all
    ExpertConfig experts;

    AttentionShape attention(std::int64_t layer) const;
    bool sparse(std::int64_t layer) const;
    /// Numbers of the layer's recurrent state, 0 for one without.
    std::int64_t stateSize(std::int64_t layer) const;
    std::int64_t qWidth() const { return heads * headDim; }
    std::int64_t kvWidth() const { return kvHeads * headDim; }
};

/// Reads the keys of the file's family: of a GGUF `llama.block_count` and so on, of a folder
/// its config.json. Error(BadInput) naming the key and the value; Error(Unsupported) naming what we
/// lack.
Config readConfig(const ModelFile &file);

/// Prompt tokens per pass: enough to reuse each unpacked weight, few enough that Stop answers
/// quickly.
inline constexpr std::int64_t kPromptChunk = 256;
/// The same on a GPU, whose matrix units want more rows.
inline constexpr std::int64_t kGpuPromptChunk = 512;
/// Most rows whose logits one pass can give.
inline constexpr std::int64_t kMaxOutputRows = 64;

} // namespace fireside
