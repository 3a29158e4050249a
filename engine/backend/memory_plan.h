#pragma once
#include "engine/backend/device_report.h"
#include "engine/backend/memory_use.h"
#include "engine/backend/op_work.h"
#include "engine/backend/placement.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside {

/// Bytes that a recorder of a graphics processor has besides scratch: for results, and for
/// activations as bytes.
inline constexpr std::size_t kRecorderResults = std::size_t{2} << 20;
inline constexpr std::size_t kRecorderBytes = std::size_t{4} << 20;

/// Every byte a model will need, known before anything is allocated. As on the CPU; planOn() gives
/// it for other devices.
struct MemoryPlan
{
    std::vector<std::uint64_t> layerWeights; // bytes of each layer's tensors
    std::uint64_t embeddingWeights = 0;      // token embedding and what lies beside it
    std::uint64_t outputWeights = 0;         // output norm and matrix; a tied matrix counts above,
    std::uint64_t tiedWeights = 0;           // and here once more, for where they lie apart
    /// What a session keeps of a layer for each token, and its recurrent states in bytes, copies
    /// included. Heads for drafting are entries of the last layer.
    struct Kept
    {
        std::size_t layer = 0;
        std::int64_t heads = 0, keyDim = 0, valueDim = 0; // numbers; valueDim 0: no values
        std::uint64_t states = 0;
    };
    std::vector<Kept> kept{};
    /// Of each layer what a session keeps: keys and values at the full context, a recurrent state
    /// with its copies. Empty: nothing. setContext() makes them of `kept`.
    std::vector<std::uint64_t> layerCaches;
    std::vector<std::uint64_t> layerStates; // of these the recurrent states; empty: none
    std::uint64_t madeWeights = 0; // of all weights those that do not lie in the file as they are
    std::uint64_t scratch = 0;     // activations of the largest chunk, logits
    std::uint64_t work = 0;        // what kernels take besides: activations in other forms, tables
    std::uint64_t reserve = 0;     // program and tokenizer; on a graphics card its driver,
    bool forDriver = false;        // as this says
    std::uint64_t unused = 0;      // of a graphics processor's allocations, with the whole model
    std::uint64_t carried = 0;     // of the residual stream, for each token between two devices
    int rows = 0; // tokens of a pass; of one that a graphics processor leads: gpu.rows

    /// What the experts of mixtures are, for where they lie apart from their layers.
    struct Experts
    {
        std::vector<std::uint64_t> weights{}; // bytes of each layer's, of layerWeights; 0: none
        std::uint64_t scratch = 0;            // of who computes them, for `rows`
        std::uint64_t gpuScratch = 0;         // the same for gpu.rows
        std::uint64_t handed = 0;             // bytes there and back, for each token of one layer
        bool there() const { return !weights.empty(); }
    } experts{};
    /// From this layer on all lie on one device, as some read the keys and values of others.
    std::size_t together = std::numeric_limits<std::size_t>::max();
    int context = 0; // tokens the KV size is for
    DType kvType = DType::F16;

    /// What differs on a graphics processor. Without pieces nothing does.
    struct OnGpu
    {
        /// Bytes of each weight of the embedding, of each layer, and of the output, in order; with
        /// what only devices with matrix units have, and without.
        std::vector<std::vector<std::uint64_t>> pieces, softwarePieces;
        std::vector<std::uint64_t> outputElsewhere; // the output's where the embedding is not
        /// Of each layer: without its experts, and these alone. Empty: no mixtures.
        std::vector<std::vector<std::uint64_t>> restPieces{}, softwareRestPieces{}, expertPieces{};
        std::uint64_t scratch = 0, softwareScratch = 0;
        int rows = 0;
        std::uint64_t cpuScratch = 0; // of the CPU, where a graphics processor says how many rows
        bool byteProducts = false;    // with weights of whole numbers
    } gpu{};

    /// What each part does for a token at the start of a chat, and for a prompt's chunk of
    /// `chunkRows`: the embedding, each layer, the output. Empty: not known.
    struct PartWork
    {
        OpWork token, chunk;
        int ops = 0;
        OpWork expertToken{}, expertChunk{}; // of these what its experts do
        int expertOps = 0;
    };
    std::vector<PartWork> steps{};
    int chunkRows = 0;

    /// The same model with another context. Without `kept` only what is said changes.
    void setContext(int tokens, DType type);
    bool canKeep(DType type) const; // whether its heads fit the type's blocks
    std::uint64_t weights() const;
    std::uint64_t kvOf(std::size_t layer) const // what a session keeps of it
    {
        return layerCaches.empty() ? 0 : layerCaches[layer];
    }
    std::uint64_t kv() const;
    std::uint64_t total() const { return weights() + kv() + scratch + work + reserve + unused; }
};

/// The same model's plan on a device: its weights in planes, its chunks, its driver.
MemoryPlan planOn(const MemoryPlan &plan, const DeviceReport &device);

/// What will have been allocated on a device when the context is full, to the byte but for Other:
/// that is an estimate.
MemoryBytes plannedUse(const MemoryPlan &plan, const Placement &placement,
                       std::span<const DeviceReport> devices, std::size_t device);

/// How a plan sits in a memory: pure functions. An unknown size is "unknown", never zero.
enum class Fit { Fits, TooBig, Unknown };
struct FitVerdict
{
    Fit fit = Fit::Unknown;
    std::uint64_t needed = 0;               // bytes
    std::optional<std::uint64_t> available; // bytes
    std::string sentence;                   // "needs 1.2 GB, 16 GB of RAM is free"
};

/// "needs 1.2 GB and 34 MB for the program": what is predicted for the model, and the reserve.
std::string needsText(const MemoryPlan &plan);

/// The whole plan against `available` bytes of `where` ("RAM", "memory on NVIDIA H200").
FitVerdict judgeFit(const MemoryPlan &plan, std::optional<std::uint64_t> available,
                    const std::string &where);

/// The rule for the CPU. Weights are memory-mapped, so they
/// count against all RAM and not against what is free at the moment; context and scratch, and
/// weights that are made while loading, are allocated and must fit into what is free.
FitVerdict judgeCpuFit(const MemoryPlan &plan, std::optional<std::uint64_t> totalRam,
                       std::optional<std::uint64_t> freeRam);

} // namespace fireside
