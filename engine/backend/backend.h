#pragma once
#include "engine/backend/device_report.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

// THE interface between models and devices. Ops are recorded into Commands and are complete after
// sync(); a device may run them at once (CPU) or in one submission (Vulkan). Tensors live on the
// device; only ids, positions and results cross over.
//
// Notation: T rows of the current batch, H query heads, Hkv key-value heads, D head size.
namespace fireside {

/// Memory of one device. Owner; freed on destruction, zeroed on allocation.
class Buffer
{
public:
    virtual ~Buffer() = default;
    virtual std::size_t size() const = 0; // bytes
};

/// A [rows, cols] matrix inside a Buffer. View: does not own.
struct Tensor
{
    Buffer *buffer = nullptr;
    std::size_t offset = 0; // bytes
    DType dtype = DType::F32;
    std::int64_t rows = 0, cols = 0;
    std::int64_t stride = 0; // elements between rows, ≥ cols
};

/// A matrix as it lies in a model file: `rows` outputs of `cols` inputs, `depth` experts.
struct WeightSource
{
    std::string name;
    DType dtype = DType::F32;
    std::int64_t rows = 0, cols = 0, depth = 1;
    std::span<const std::byte> bytes; // must outlive the Weight (the model owns the mapped file)
};

/// A weight resident on a device in the type it has in the file.
class Weight
{
public:
    virtual ~Weight() = default;
    std::string name;
    DType dtype = DType::F32;
    std::int64_t rows = 0, cols = 0, depth = 1;
};

/// Keys and values of one layer of one session: [Hkv, capacity, D] each, F32, F16 or Q8_0.
struct KvLayer
{
    Buffer *keys = nullptr;
    Buffer *values = nullptr;
    DType dtype = DType::F16;
    std::int64_t kvHeads = 0, capacity = 0, headDim = 0;
};

/// One session's part of a pass: rows [firstRow, firstRow + rows) continue a cache that holds
/// `past` tokens. A prompt chunk is one item of many rows, batched decode many items of one row.
struct BatchItem
{
    std::span<const KvLayer> cache; // indexed by layer
    std::int64_t firstRow = 0, rows = 0, past = 0;
};
struct Batch
{
    std::span<const std::int32_t> ids;       // [T]
    std::span<const std::int32_t> positions; // [T]
    std::span<const BatchItem> items;        // cover all T rows in order
};

enum class RopePairing { HalfSplit, Interleaved }; // (i, i + D/2) or (2i, 2i + 1)
struct Rope
{
    RopePairing pairing = RopePairing::HalfSplit;
    std::vector<float>
        inverseFrequencies;    // [rotary/2], angle = position · f, scaling already applied
    float attentionFactor = 1; // multiplies cos and sin (YaRN)
};

enum class Gate { SiLU, GeluErf, GeluTanh };

struct AttentionShape
{
    std::int64_t heads = 0, kvHeads = 0, headDim = 0;
    float scale = 0;         // 1/√D unless the model says otherwise
    std::int64_t window = 0; // 0: all earlier keys; else the last `window` ones, itself included
    float softcap = 0;       // 0: none; else cap·tanh(score/cap)
};

/// One product of a group that reads the same input: out = x · weightᵀ (+ bias).
struct LinearTarget
{
    const Weight *weight = nullptr; // [out, in]
    Tensor out;                     // [T, out] F32
    const Weight *bias = nullptr;   // [1, out] or none
};
enum class Accumulate { Overwrite, AddToOutput };

/// Device time of all calls of one op.
struct OpTime
{
    const char *op = ""; // the op's name in Commands
    std::int64_t calls = 0;
    double seconds = 0;
};

/// Records the ops of one pass on one device. Not for several threads at once; the engine sees to
/// that.
class Commands
{
public:
    virtual ~Commands() = default;

    /// Starts a pass: ids, positions and cache lengths go to stable device memory. All scratch is
    /// free. Once `stop` is set, ops still to come are skipped and sync() throws.
    virtual void begin(const Batch &batch, std::stop_token stop = {}) = 0;

    /// Pass-local F32 memory from the arena. mark()/release() bracket a layer: what was taken since
    /// the mark is reused. Contents start undefined. Error(Memory) when the planned arena is
    /// exceeded.
    virtual Tensor scratch(std::int64_t rows, std::int64_t cols) = 0;
    virtual std::size_t mark() const = 0;
    virtual void release(std::size_t mark) = 0;

    // --- ops; shapes are checked when recorded, a mismatch is Error(Internal) printing both ---

    /// out[t, :] = table[ids[t], :] · scale.  out [T, hidden]
    virtual void embed(const Weight &table, float scale, const Tensor &out) = 0;
    /// out = x / √(mean(x²) + eps) · weight, per row.  [T, n]
    virtual void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) = 0;
    /// The same per head: x is [T, heads·D], weight [D], in place.
    virtual void headRmsNorm(const Tensor &x, const Weight &weight, float eps) = 0;
    /// Each target: out (+)= x · weightᵀ + bias; the targets share x [T, in].
    virtual void linear(const Tensor &x, std::span<const LinearTarget> targets,
                        Accumulate mode = Accumulate::Overwrite) = 0;
    /// out = act(x · gateᵀ) ⊙ (x · upᵀ).  out [T, ffn]
    virtual void gatedLinear(const Tensor &x, const Weight &gate, const Weight &up, Gate act,
                             const Tensor &out) = 0;
    /// Rotates q [T, H·D] in place; rotates k and appends k, v [T, Hkv·D] to each item's cache of
    /// the layer at its `past`.
    virtual void ropeToCache(const Tensor &q, const Tensor &k, const Tensor &v, std::int64_t layer,
                             const AttentionShape &shape, const Rope &rope) = 0;
    /// out[t, h·D…] = softmax(q·Kᵀ·scale)·V over the item's cache incl. its new rows; row i of an
    /// item sees keys ≤ past + i. kv head = h / (H/Hkv).  q, out [T, H·D]
    virtual void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                           const Tensor &out) = 0;
    /// out[i, :] = x[rows[i], :]
    virtual void gatherRows(const Tensor &x, std::span<const std::int32_t> rows,
                            const Tensor &out) = 0;
    /// ids[i] = index of the largest value of row i; the first one on a tie; −1 when all are NaN.
    /// ids [rows, 1] I32
    virtual void argmax(const Tensor &x, const Tensor &ids) = 0;

    /// Brings a tensor in from another device's pass (already synced), the edge of a split.
    virtual void upload(std::span<const float> values, const Tensor &out) = 0;

    /// Runs what is recorded and waits. Error(Cancelled) when the pass was stopped before it was
    /// done; caches then hold undefined rows beyond `past`, nothing else changed.
    virtual void sync() = 0;

    /// After sync(): a tensor's rows as contiguous values.
    virtual void read(const Tensor &x, std::span<float> values) = 0;
    virtual void read(const Tensor &x, std::span<std::int32_t> values) = 0;

    /// Time spent per kind of op since the last call, for the benchmark and the performance panel.
    virtual std::vector<OpTime> takeOpTimes() = 0;
};

/// One place to compute: owns memory, weights and passes.
class Device
{
public:
    virtual ~Device() = default;
    virtual const DeviceReport &report() const = 0;
    /// Zeroed memory; Error(Memory) naming `what`, what was needed and what is free.
    virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what) = 0;
    /// Makes a weight resident. Error(Unsupported) naming tensor and type if this device lacks it.
    virtual std::unique_ptr<Weight> addWeight(const WeightSource &source) = 0;
    /// Copies between two buffers of this device (a forked session's cache). Complete on return.
    virtual void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
                      std::size_t bytes) = 0;
    /// A recorder with an arena of `scratchBytes` for passes of at most maxRows tokens.
    virtual std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) = 0;
    virtual bool supports(DType weightType) const = 0;
};

// Factories of the linked backends. Reports are what the probes found; nothing is allocated yet.
struct CpuOptions
{
    int threads = 0; // 0: as many as cpuInfo().threads
};
DeviceReport probeCpu();
std::unique_ptr<Device> openCpu(const CpuOptions &options);

/// Every Vulkan device, or a single unavailable report with the first failing rung. Never throws.
std::vector<DeviceReport> probeVulkan();

} // namespace fireside
