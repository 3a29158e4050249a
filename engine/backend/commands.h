#pragma once
#include "engine/backend/batch.h"
#include "engine/backend/op_work.h"
#include "engine/backend/ops/advance.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

// Ops (op.h) are recorded into Commands and are complete after sync(); a device may run them at
// once (CPU), or look at several together and run them in one submission (Vulkan). Tensors live on
// the device; only ids, positions and results cross over.
//
// Notation of the ops: T rows of the current batch, H query heads, Hkv key-value heads, D head
// size, E experts, k experts used per token.
//
// Types: activations are F32 or F16, each tensor its own; sums, norms and softmax are always taken
// in F32. Ids are I32. Strides are honoured everywhere. Zero rows are fine.
namespace fireside {

struct Op;
namespace op {
struct ExpandedAttention;
}

/// Device time of all calls of one op.
struct OpTime
{
    const char *op = ""; // the op's name
    std::int64_t calls = 0;
    double seconds = 0;
    std::int64_t dispatches = 0; // on the device; 0 on the CPU
    OpWork work{};               // counted on the CPU
};

struct PassOptions
{
    /// Not 0: names the sequence of ops to come. A device may keep what was recorded and replay it
    /// when a batch of the same form (rows, items, output rows) comes with the same name: ids,
    /// positions, lengths, caches and output rows may differ, weights and everything else may not.
    std::uint64_t recording = 0;
    /// The ops to come only make the device ready for such passes (pipelines); nothing is computed.
    bool prepareOnly = false;
    /// With prepareOnly: the caches of such passes will have up to so many tokens. 0: no more than
    /// those of the batch.
    std::int64_t maxKeys = 0;
    /// Set for a pass that ends with op::Advance. Read by begin() only.
    const NextIds *next = nullptr;
    /// With next and a name: so many passes will surely follow, each with the ids that the one
    /// before draws. A device may run some of them ahead, up to 50 ms of work.
    std::int64_t maxAhead = 0;
    /// With maxAhead: whether nothing else comes first. sync() asks shortly before the pass that
    /// runs is done, and only then begins the next one, no more. Null: nothing ever does.
    const std::function<bool()> *goesOn = nullptr;
    std::stop_token stop{}; // once set, what has not run yet is skipped and sync() throws
    /// What attentionInput() may round to.
    DType attentionType = DType::F16;
};

/// Records the ops of one pass on one device. Not for several threads at once; the engine sees to
/// that.
class Commands
{
public:
    virtual ~Commands() = default;

    /// As how many a pass of so many chats, with one row each, had better be computed: a device may
    /// keep recordings for few numbers of rows only, between which it takes the same time.
    virtual std::int64_t alikeRows(std::int64_t rows) const { return rows; }

    enum class Begin { Record, Replay };
    /// Starts a pass: ids, positions, lengths and caches go to stable device memory. All scratch is
    /// free. Replay: the ops are already known, or even run ahead; the caller records none and goes
    /// on with sync().
    virtual Begin begin(const Batch &batch, const PassOptions &options = {}) = 0;

    /// The batch's own data on the device. ids, positions [T, 1]; outputRows [n, 1]; all I32.
    virtual Tensor ids() const = 0;
    virtual Tensor positions() const = 0;
    virtual Tensor outputRows() const = 0;

    /// Pass-local memory from the arena. mark()/release() bracket a layer: what was taken since the
    /// mark is reused. Contents start undefined. Error(Memory) when the planned arena is exceeded.
    virtual Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype = DType::F32) = 0;
    /// Scratch that one op writes whole and one product reads, soon after it: a device may keep it
    /// in F16 where the product would round it to F16 all the same.
    Tensor productInput(std::int64_t rows, std::int64_t cols)
    {
        Tensor tensor = scratch(rows, cols);
        tensor.forProducts = true;
        return tensor;
    }
    /// Scratch that one op writes whole and the next one alone reads: a device may do both in one
    /// and never write it.
    Tensor handedOn(std::int64_t rows, std::int64_t cols)
    {
        Tensor tensor = scratch(rows, cols);
        tensor.forOneReader = true;
        return tensor;
    }
    /// Scratch for queries, keys or values of attention among the rows of a pass: a device that
    /// multiplies F16 faster keeps them so, where PassOptions::attentionType lets it.
    virtual Tensor attentionInput(std::int64_t rows, std::int64_t cols)
    {
        return scratch(rows, cols);
    }
    virtual std::size_t mark() const = 0;
    virtual void release(std::size_t mark) = 0;

    /// Names a tensor of this pass so that it is found again after a replay. slot: 0 … 7
    virtual void keep(int slot, const Tensor &tensor) = 0;
    virtual Tensor kept(int slot) const = 0;

    /// Whether the pass is faster with this op than with attention over the latent rows themselves.
    /// Its tensors are not looked at.
    virtual bool expandsLatent(const op::ExpandedAttention & /*op*/) const { return false; }
    /// Records an op. Error(Internal) that names it where its shapes do not fit each other,
    /// Error(Unsupported) in words where the device lacks this form of it. Products whose weights
    /// have their columns in another order (Weight::columns) become a few, with op::GatherColumns.
    void record(const Op &op);
    /// What a device does of it: one op, whose inputs come in the order of its weights' columns.
    virtual void take(const Op &op) = 0;
    /// Values of the host, e.g. the edge of a split model. Floats to F32 or F16, integers to I32.
    virtual void upload(std::span<const float> values, const Tensor &out) = 0;
    virtual void upload(std::span<const std::int32_t> values, const Tensor &out) = 0;

    // --- completion ---

    /// Runs what is recorded and waits. Error(Cancelled) when the pass was stopped before it was
    /// done; caches then hold undefined rows beyond `past`, nothing else changed.
    virtual void sync() = 0;
    /// Waits until nothing runs; what ran ahead is forgotten, and the rows of caches that it wrote
    /// are undefined. Before memory of a cache is given back; begin() of any other pass than the
    /// one ahead does the same.
    virtual void settle() {}
    /// Passes that run although they were not asked for yet. For tests.
    virtual std::int64_t ahead() const { return 0; }

    /// After sync(): a tensor's rows as contiguous values.
    virtual void read(const Tensor &x, std::span<float> values) = 0;
    virtual void read(const Tensor &x, std::span<std::int32_t> values) = 0;

    /// Time spent per kind of op since the last call, for the benchmark and the performance panel.
    virtual std::vector<OpTime> takeOpTimes() = 0;
};

} // namespace fireside
