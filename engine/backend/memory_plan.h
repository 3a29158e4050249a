#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// Every byte a model will need, known before anything is allocated.
struct MemoryPlan
{
    std::vector<std::uint64_t> layerWeights; // bytes of each layer's tensors
    std::uint64_t embeddingWeights = 0;      // token embedding (and positions)
    std::uint64_t lookupWeights = 0; // other tables beside the embedding, which are only looked up
    std::uint64_t outputWeights = 0; // output norm and matrix; a tied matrix counts once, above
    /// Of each layer what a session keeps: keys and values at the full context, a recurrent state
    /// with its copies. Empty: nothing.
    std::vector<std::uint64_t> layerCaches;
    std::uint64_t madeWeights = 0;  // of all weights those that do not lie in the file as they are
    std::uint64_t scratch = 0;      // activations of the largest chunk, logits
    std::uint64_t batchScratch = 0; // more of it on a GPU, where encoders take several sequences
    std::uint64_t reserve = 0;      // program, tokenizer, driver
    /// From this layer on all lie on one device, as some read the keys and values of others.
    std::size_t together = std::numeric_limits<std::size_t>::max();
    int context = 0; // tokens the KV size is for
    DType kvType = DType::F16;

    std::uint64_t weights() const;
    std::uint64_t kvOf(std::size_t layer) const // what a session keeps of it
    {
        return layerCaches.empty() ? 0 : layerCaches[layer];
    }
    std::uint64_t kv() const;
    std::uint64_t total() const { return weights() + kv() + scratch + batchScratch + reserve; }
};

/// How a plan sits in a memory: pure functions. An unknown size is "unknown", never zero.
enum class Fit { Fits, TooBig, Unknown };
struct FitVerdict
{
    Fit fit = Fit::Unknown;
    std::uint64_t needed = 0;               // bytes
    std::optional<std::uint64_t> available; // bytes
    std::string sentence;                   // "needs 1.2 GB, 16 GB of RAM is free"
};

/// The whole plan against `available` bytes of `where` ("RAM", "memory on NVIDIA H200").
FitVerdict judgeFit(const MemoryPlan &plan, std::optional<std::uint64_t> available,
                    const std::string &where);

/// The rule for the CPU, which takes no batches of sequences. Weights are memory-mapped, so they
/// count against all RAM and not against what is free at the moment; context and scratch, and
/// weights that are made while loading, are allocated and must fit into what is free.
FitVerdict judgeCpuFit(const MemoryPlan &plan, std::optional<std::uint64_t> totalRam,
                       std::optional<std::uint64_t> freeRam);

} // namespace fireside
