#pragma once
#include "engine/backend/backend.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/cpu_buffer.h"
#include "engine/cpu/float_views.h"
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/ops/expert_ops.h"
#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/row_ops.h"

#include <array>
#include <chrono>

namespace fireside::cpu {

/// Commands that run each op when it is recorded. Once the pass's stop token is set, ops return at
/// once and sync() throws, so the longest piece that cannot be stopped is one op.
class CpuCommands final : public Commands
{
public:
    CpuCommands(ThreadPool &pool, std::size_t scratchBytes, std::int64_t maxRows);

    Begin begin(const Batch &batch, const PassOptions &options) override;
    Tensor ids() const override { return m_idsTensor; }
    Tensor positions() const override { return m_positionsTensor; }
    Tensor outputRows() const override { return m_outputRowsTensor; }

    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override;
    std::size_t mark() const override { return m_cursor; }
    void release(std::size_t mark) override;
    void keep(int slot, const Tensor &tensor) override;
    Tensor kept(int slot) const override;

    void embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
               Accumulate mode) override;
    void gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out) override;
    void copy(const Tensor &x, const Tensor &out) override;
    void reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to,
                      const Tensor &out) override;
    void splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape, const Tensor &q,
                  const Tensor &k, const Tensor &v) override;
    void upload(std::span<const float> values, const Tensor &out) override;
    void upload(std::span<const std::int32_t> values, const Tensor &out) override;
    void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) override;
    void addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight, float eps,
                    const Tensor &out) override;
    void layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                   const Tensor &out) override;
    void addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                      const Weight *bias, float eps, const Tensor &out) override;
    void l2Normalize(const Tensor &x, const Tensor &out) override;
    void add(const Tensor &a, const Tensor &b, const Tensor &out) override;
    void multiply(const Tensor &a, const Tensor &b, const Tensor &out) override;
    void addScaled(const Tensor &x, float scale, const Tensor &out) override;
    void addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                 const Tensor &out) override;
    void activate(const Tensor &x, Activation act, const Weight *bias, const Tensor &out) override;
    void gate(const Tensor &gateInput, const Tensor &up, Activation act,
              const Tensor &out) override;
    void softcap(const Tensor &x, float cap, const Tensor &out) override;
    void softmax(const Tensor &x, float scale, const Tensor *visible, const Tensor &out) override;
    void linear(const LinearInput &x, std::span<const LinearTarget> targets,
                Accumulate mode) override;
    void gatedLinear(const LinearInput &x, const GatedWeights &weights, Activation act,
                     const Tensor &out) override;
    void headLinear(const Tensor &x, const Weight &weight, const Tensor &out) override;
    void batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                        const Tensor &out) override;
    void transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                        const Tensor &out) override;
    void headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                      const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                      const AttentionShape &shape) override;
    void latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                       std::int64_t layer) override;
    void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                   const Tensor &out) override;
    void headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                                  const HeadTransform &kTransform, const Tensor &v,
                                  std::int64_t layer, const AttentionShape &shape,
                                  const Tensor &out) override;
    void sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                           const AttentionShape &shape, const Tensor &out) override;
    void route(const Tensor &logits, const Routing &routing, const Tensor &ids,
               const Tensor &weights) override;
    void expertGatedLinear(const LinearInput &x, const Tensor &ids, const GatedWeights &weights,
                           Activation act, const Tensor &out) override;
    void expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights, const Weight &down,
                      const Weight *bias, const Tensor &out, Accumulate mode) override;
    void shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                          const Tensor &state, const Tensor &out) override;
    void gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                        const Tensor &beta, std::int64_t heads, const Tensor &state,
                        const Tensor &out) override;
    void argmax(const Tensor &x, const Tensor &ids) override;
    void topK(const Tensor &x, const Tensor &values, const Tensor &ids) override;
    void pad(const Tensor &x, const Tensor &out) override;
    void unpad(const Tensor &x, const Tensor &out) override;
    void pool(const Tensor &x, Pooling pooling, const Tensor &out) override;

    void sync() override;
    void read(const Tensor &x, std::span<float> values) override;
    void read(const Tensor &x, std::span<std::int32_t> values) override;
    std::vector<OpTime> takeOpTimes() override;

private:
    enum class Op {
        Embed,
        GatherRows,
        Copy,
        ReorderHeads,
        SplitQkv,
        Upload,
        RmsNorm,
        AddRmsNorm,
        LayerNorm,
        AddLayerNorm,
        L2Normalize,
        Add,
        Multiply,
        AddScaled,
        AddBias,
        Activate,
        Gate,
        Softcap,
        Softmax,
        Linear,
        GatedLinear,
        HeadLinear,
        BatchedProduct,
        TransformHeads,
        HeadsToCache,
        LatentToCache,
        Attention,
        SequenceAttention,
        Route,
        ExpertGatedLinear,
        ExpertLinear,
        ShortConvolution,
        GatedDeltaRule,
        Argmax,
        TopK,
        Pad,
        Unpad,
        Pool,
        Count
    };
    static const char *opName(Op op);
    class OpScope;

    /// cos and sin of the pass's positions for one Rope; layers of a model share a few.
    struct RopeTable
    {
        Rope rope;
        bool current = false; // computed in this pass
        std::vector<float> cosSin;
    };

    std::int64_t rows() const { return static_cast<std::int64_t>(m_ids.size()); }
    const float *ropeTableFor(const Rope &rope);
    /// Norm and rotation as an op takes them; Error(Internal) when they do not fit the heads.
    HeadStep headStep(OpScope &op, const HeadTransform &transform, const Tensor &x,
                      std::int64_t heads);
    std::span<const RowSpan> itemRows();
    /// `padded` is [items·longest, n] for the flat [T, n].
    void checkPadded(OpScope &op, const char *what, const Tensor &padded, const Tensor &flat);
    KvView cacheOf(const BatchItem &item, std::int64_t layer, std::int64_t kvHeads,
                   std::int64_t headDim, std::int64_t valueDim) const;
    /// m_attention: the items with their caches.
    void findCaches(std::int64_t layer, const AttentionShape &shape);

    ThreadPool &m_pool;
    LinearScratch m_linearScratch;
    ExpertScratch m_expertScratch;
    ScratchBuffer m_productMemory;
    CpuBuffer m_arena;
    std::size_t m_cursor = 0;
    std::int64_t m_maxRows;

    std::vector<std::int32_t> m_ids, m_positions; // [T] of the pass
    std::vector<BatchItem> m_items;
    std::vector<std::int32_t> m_outputRows;
    CpuBuffer m_passIds;
    Tensor m_idsTensor, m_positionsTensor, m_outputRowsTensor;
    std::array<Tensor, 8> m_kept{};
    std::stop_token m_stop;
    bool m_stopped = false; // an op of this pass was skipped
    bool m_preparing = false;
    FloatViews m_views;
    std::vector<RopeTable> m_ropeTables;
    std::vector<LinearJob> m_jobs;          // reused from op to op
    std::vector<AttentionItem> m_attention; // the same
    std::vector<RowSpan> m_spans;           // the same

    struct OpCounter
    {
        std::int64_t calls = 0;
        std::chrono::steady_clock::duration time{};
    };
    std::array<OpCounter, static_cast<std::size_t>(Op::Count)> m_counters{};
};

} // namespace fireside::cpu
