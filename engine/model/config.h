#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <string>

namespace fireside {

class Gguf;

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
    Rope rope;
    bool tiedOutput = false; // the output matrix is the embedding

    AttentionShape attention() const;
    std::int64_t qWidth() const { return heads * headDim; }
    std::int64_t kvWidth() const { return kvHeads * headDim; }
};

/// Reads the keys of the file's architecture (`llama.block_count`, …). Error(BadInput) naming the
/// key and the value; Error(Unsupported) naming what we lack.
Config readConfig(const Gguf &gguf);

/// Prompt tokens per pass: enough to reuse each unpacked weight, few enough that Stop answers
/// quickly.
inline constexpr std::int64_t kPromptChunk = 256;
/// The same on a GPU, whose matrix units want more rows.
inline constexpr std::int64_t kGpuPromptChunk = 512;
/// Most rows whose logits one pass can give.
inline constexpr std::int64_t kMaxOutputRows = 16;

/// Bytes of arena a pass of `rows` tokens takes.
std::uint64_t scratchBytes(const Config &config, std::int64_t rows);

} // namespace fireside
