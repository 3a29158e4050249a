#pragma once
#include "engine/backend/ops.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

// Ops are recorded into Commands and are complete after sync(); a device may run them at once (CPU)
// or in one submission (Vulkan). Tensors live on the device; only ids, positions and results cross
// over.
//
// Notation: T rows of the current batch, H query heads, Hkv key-value heads, D head size, E
// experts, k experts used per token.
//
// Types: activations are F32 or F16, each tensor its own; sums, norms and softmax are always taken
// in F32. Ids are I32. Strides are honoured everywhere. Zero rows are fine. Shapes are checked when
// an op is recorded: a mismatch is Error(Internal) that names the op and prints both shapes.
//
// Where a device lacks a form of an op, recording it is Error(Unsupported) in words. Vulkan: route
// and topK take up to 1024 experts and k, expertGatedLinear gate and up of one type, gatedDeltaRule
// keys of up to 512, shortConvolution up to 64 taps in F32, F16 or BF16.
namespace fireside {

/// One session's part of a pass: rows [firstRow, firstRow + rows) continue a cache that holds
/// `past` tokens. A prompt chunk is one item of many rows, batched decode many items of one row, an
/// encoder's batch one item per sequence without cache.
struct BatchItem
{
    std::span<const KvLayer> cache; // indexed by layer; may be empty when no op uses it
    std::int64_t firstRow = 0, rows = 0, past = 0;
};
struct Batch
{
    std::span<const std::int32_t> ids;          // [T]
    std::span<const std::int32_t> positions;    // [T]
    std::span<const BatchItem> items;           // cover all T rows in order
    std::span<const std::int32_t> outputRows{}; // rows whose results are wanted
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
    /// Set for a pass that ends with advance(). Read by begin() only.
    const NextIds *next = nullptr;
    std::stop_token stop{}; // once set, what has not run yet is skipped and sync() throws
};

/// Records the ops of one pass on one device. Not for several threads at once; the engine sees to
/// that.
class Commands
{
public:
    virtual ~Commands() = default;

    enum class Begin { Record, Replay };
    /// Starts a pass: ids, positions, lengths and caches go to stable device memory. All scratch is
    /// free. Replay: the ops are already known; the caller records none and goes on with sync().
    virtual Begin begin(const Batch &batch, const PassOptions &options = {}) = 0;

    /// The batch's own data on the device. ids, positions [T, 1]; outputRows [n, 1]; all I32.
    virtual Tensor ids() const = 0;
    virtual Tensor positions() const = 0;
    virtual Tensor outputRows() const = 0;

    /// Pass-local memory from the arena. mark()/release() bracket a layer: what was taken since the
    /// mark is reused. Contents start undefined. Error(Memory) when the planned arena is exceeded.
    virtual Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype = DType::F32) = 0;
    virtual std::size_t mark() const = 0;
    virtual void release(std::size_t mark) = 0;

    /// Names a tensor of this pass so that it is found again after a replay. slot: 0 … 7
    virtual void keep(int slot, const Tensor &tensor) = 0;
    virtual Tensor kept(int slot) const = 0;

    // --- embedding and moves ---

    /// out[t, :] (+)= table[ids[t], :] · scale.  ids [T, 1], out [T, n]. An id outside the table is
    /// Error(BadInput) where the host knows it, and reads row 0 where only the device does.
    virtual void embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
                       Accumulate mode = Accumulate::Overwrite) = 0;
    /// out[i, :] = x[rows[i], :].  rows [n, 1] I32
    virtual void gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out) = 0;
    /// out = x, converting between F32 and F16; views make it a concatenation or a split.
    virtual void copy(const Tensor &x, const Tensor &out) = 0;
    /// x [T, H·D] token-major → out [H·T, D], or back: `to` names the order of out.
    virtual void reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to,
                              const Tensor &out) = 0;
    /// qkv [T, (H + 2·Hkv)·D] → q [T, H·D], k and v [T, Hkv·D]
    virtual void splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape,
                          const Tensor &q, const Tensor &k, const Tensor &v) = 0;
    /// Values of the host, e.g. the edge of a split model. Floats to F32 or F16, integers to I32.
    virtual void upload(std::span<const float> values, const Tensor &out) = 0;
    virtual void upload(std::span<const std::int32_t> values, const Tensor &out) = 0;

    // --- norms; weight and bias are [1, n]; out may be x ---

    /// out = x / √(mean(x²) + eps) · weight, per row.  [T, n]
    virtual void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) = 0;
    /// residual += x, then out = rmsNorm(residual).
    virtual void addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                            float eps, const Tensor &out) = 0;
    /// out = (x − mean) / √(variance + eps) · weight (+ bias), per row, arXiv 1607.06450.
    virtual void layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                           const Tensor &out) = 0;
    virtual void addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                              const Weight *bias, float eps, const Tensor &out) = 0;
    /// out = x / √Σx², per row; a zero row stays zero.
    virtual void l2Normalize(const Tensor &x, const Tensor &out) = 0;

    // --- elementwise; out may be an input ---

    /// b is of a's shape, one row [1, n] for all rows, or one number [1, 1].
    virtual void add(const Tensor &a, const Tensor &b, const Tensor &out) = 0;
    virtual void multiply(const Tensor &a, const Tensor &b, const Tensor &out) = 0;
    /// out += scale · x
    virtual void addScaled(const Tensor &x, float scale, const Tensor &out) = 0;
    /// out = x + bias (+ residual, if not null).  bias [1, n]
    virtual void addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                         const Tensor &out) = 0;
    /// out = act(x (+ bias)).  bias [1, n] or null
    virtual void activate(const Tensor &x, Activation act, const Weight *bias,
                          const Tensor &out) = 0;
    /// out = act(gate) ⊙ up.  [T, n]; one [T, 2n] input is two views of it.
    virtual void gate(const Tensor &gateInput, const Tensor &up, Activation act,
                      const Tensor &out) = 0;
    /// out = cap · tanh(x / cap)
    virtual void softcap(const Tensor &x, float cap, const Tensor &out) = 0;
    /// Per row: out[t, j] = softmax over j < visible[t] of x[t, j]·scale, and 0 beyond. visible
    /// [T, 1] I32 or null for all columns; a row that sees nothing becomes zero.
    virtual void softmax(const Tensor &x, float scale, const Tensor *visible,
                         const Tensor &out) = 0;

    // --- products; weights in any supported type ---

    /// A hint, without any effect on results: the next op that writes input.x is followed by a
    /// product of this input with this weight (of whatever kind), and by nothing that changes it
    /// before that. A device may lay it out for the product as it is written.
    virtual void announce(const LinearInput &input, const Weight &weight)
    {
        static_cast<void>(input);
        static_cast<void>(weight);
    }
    /// The type to keep an input of linear() or expertLinear() in, which another op writes for it:
    /// F16 where the product of so many rows would round it to F16 all the same, else F32. For
    /// experts rows are pairs of a token and an expert.
    virtual DType inputType(const Weight &, std::int64_t /*rows*/) const { return DType::F32; }
    /// Each target: out (+)= x · weightᵀ + bias; the targets share x [T, in].
    virtual void linear(const LinearInput &x, std::span<const LinearTarget> targets,
                        Accumulate mode = Accumulate::Overwrite) = 0;
    /// out = act(x · gateᵀ) ⊙ (x · upᵀ).  out [T, ffn]
    virtual void gatedLinear(const LinearInput &x, const GatedWeights &weights, Activation act,
                             const Tensor &out) = 0;
    /// Each head its own matrix: out[t, h, :] = x[t, h, :] · weight[h]ᵀ.
    /// x [T, H·in], weight [out, in] of depth H, out [T, H·out]
    virtual void headLinear(const Tensor &x, const Weight &weight, const Tensor &out) = 0;
    /// a, b F32 or F16, out F32 or F16.
    virtual void batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                                const Tensor &out) = 0;

    // --- heads, caches, attention ---

    /// Norm and rotation of every head at positions(): x [T, heads·D] → out of the same shape (out
    /// may be x), or head-major [heads·T, D].
    virtual void transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                                const Tensor &out) = 0;
    /// q [T, H·D] is transformed in place, k [T, Hkv·D] on its way to each item's cache of the
    /// layer, where k and v [T, Hkv·Dv] are written from `past` on. The transforms' norms may be
    /// absent; k and v may be views of one product.
    virtual void headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                              const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                              const AttentionShape &shape) = 0;
    /// MLA, arXiv 2405.04434: latent [T, rank] and rotated ropePart [T, r] become one row
    /// [rank + r] of a latent cache with one kv head. `rope` turns all of ropePart.
    virtual void latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                               std::int64_t layer) = 0;
    /// out[t, h, :] = softmax(q·Kᵀ·scale)·V over the item's cache incl. its new rows, flash-style:
    /// arXiv 2205.14135.  q [T, H·D], out [T, H·Dv]. With a latent cache this is the absorbed form
    /// of MLA: D = rank + r, Dv = rank, Hkv = 1. A query that sees no key gives zeros.
    virtual void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                           const Tensor &out) = 0;
    /// headsToCache, then attention over the cache; a device may do both at once. What q holds
    /// afterwards is undefined.
    virtual void headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform,
                                          const Tensor &k, const HeadTransform &kTransform,
                                          const Tensor &v, std::int64_t layer,
                                          const AttentionShape &shape, const Tensor &out) = 0;
    /// attention among the rows of each item, without a cache: encoders.
    /// q [T, H·D], k [T, Hkv·D], v [T, Hkv·Dv]
    virtual void sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                                   const AttentionShape &shape, const Tensor &out) = 0;

    // --- mixture of experts ---

    /// logits [T, E] → ids [T, k] I32 and weights [T, k] F32.
    virtual void route(const Tensor &logits, const Routing &routing, const Tensor &ids,
                       const Tensor &weights) = 0;
    /// out[t·k + j, :] = act(x[t]·gate[e]ᵀ) ⊙ (x[t]·up[e]ᵀ) with e = ids[t, j].
    /// x [T, in], weights of depth E, out [T·k, ffn]
    virtual void expertGatedLinear(const LinearInput &x, const Tensor &ids,
                                   const GatedWeights &weights, Activation act,
                                   const Tensor &out) = 0;
    /// route, then expertGatedLinear with what it chose; a device may do both at once.
    virtual void routeAndExpertGatedLinear(const Tensor &logits, const Routing &routing,
                                           const Tensor &ids, const Tensor &weights,
                                           const LinearInput &x, const GatedWeights &experts,
                                           Activation act, const Tensor &out)
    {
        route(logits, routing, ids, weights);
        expertGatedLinear(x, ids, experts, act, out);
    }
    /// out[t, :] (+)= Σⱼ w[t, j] · (x[t·k + j]·down[ids[t, j]]ᵀ + bias[ids[t, j]]).
    /// x [T·k, ffn], down [n, ffn] and bias [1, n] (or null) of depth E, out [T, n]
    virtual void expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights,
                              const Weight &down, const Weight *bias, const Tensor &out,
                              Accumulate mode) = 0;

    // --- recurrent blocks; their state [items][…] lives like a cache in buffers of the caller ---

    /// Causal depthwise convolution over each item's rows, continued from its state:
    /// out[t, c] = Σⱼ weight[c, j] · x[t − (K−1) + j, c] (+ bias).  x, out [T, C], weight [C, K];
    /// state [items·(K−1), C] F32 holds the last K−1 inputs of each item before and after.
    virtual void shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                                  const Tensor &state, const Tensor &out) = 0;
    /// Gated delta rule, arXiv 2412.06464, per head h and row t of an item:
    /// S ← exp(g)·S;  S ← S + β·k ⊗ (v − Sᵀk);  out = Sᵀq.  q, k [T, H·Dk], v, out [T, H·Dv],
    /// g, beta [T, H]; state [items·H·Dk, Dv] F32, kept between passes.
    virtual void gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                                const Tensor &beta, std::int64_t heads, const Tensor &state,
                                const Tensor &out) = 0;

    // --- results ---

    /// ids[i] = index of the largest value of row i; the first one on a tie; kNotFinite when any is
    /// NaN or infinite (not_finite.h).  ids [rows, 1] I32
    virtual void argmax(const Tensor &x, const Tensor &ids) = 0;
    /// The k largest of each row in falling order (the first on a tie): values [rows, k] F32, ids
    /// [rows, k] I32; missing ones are −∞ and −1, and all −∞ and kNotFinite where argmax gives it.
    virtual void topK(const Tensor &x, const Tensor &values, const Tensor &ids) = 0;

    // --- encoder batches: items are sequences ---

    /// x [T, n] → out [items·longest, n]: each item's rows, then zeros. longest = out.rows / items.
    virtual void pad(const Tensor &x, const Tensor &out) = 0;
    /// The way back: x [items·longest, n] → out [T, n].
    virtual void unpad(const Tensor &x, const Tensor &out) = 0;
    /// out[i, :] = the first or last row, or the mean of the rows, of item i; zero for an empty
    /// one.
    virtual void pool(const Tensor &x, Pooling pooling, const Tensor &out) = 0;

    // --- completion ---

    /// Runs what is recorded and waits. Error(Cancelled) when the pass was stopped before it was
    /// done; caches then hold undefined rows beyond `past`, nothing else changed.
    virtual void sync() = 0;

    // --- passes ahead of the host; a device may lack all of this, as the base class does ---

    /// Whether passes can go on by themselves.
    virtual bool goesAhead() const { return false; }
    /// The last op of a pass with PassOptions::next, whose items have one row each. Row t's next id
    /// is drawn from ids [T, k] I32, in falling order of logits [T, k] F32 (null for k = 1); all
    /// positions and lengths grow by one. Error(Internal) beyond kMaxAheadRows and the like.
    virtual void advance(const Tensor * /*logits*/, const Tensor & /*ids*/) {}
    /// After sync() of such a pass, recorded with a name: runs it once more, as advance() left
    /// everything, behind what runs already and without waiting. False when it cannot be, or had
    /// better not be: a cache or the draws are used up, enough runs already, the form has to be
    /// recorded anew. Up to 50 ms of work run ahead.
    virtual bool runAgain() { return false; }
    /// Waits for the oldest pass of runAgain() that was not waited for.
    virtual void finishAgain() {}
    /// What the pass last waited for chose; until the next wait.
    virtual ChosenIds chosen() const { return {}; }
    /// Waits until nothing runs: what went ahead and was not asked for is forgotten. Rows of caches
    /// beyond a length that counts are undefined then. begin() does the same.
    virtual void settle() {}

    /// After sync(): a tensor's rows as contiguous values.
    virtual void read(const Tensor &x, std::span<float> values) = 0;
    virtual void read(const Tensor &x, std::span<std::int32_t> values) = 0;

    /// Time spent per kind of op since the last call, for the benchmark and the performance panel.
    virtual std::vector<OpTime> takeOpTimes() = 0;
};

} // namespace fireside
