#pragma once
#include "engine/backend/backend.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/cpu_buffer.h"
#include "engine/cpu/linear.h"
#include "engine/cpu/ops.h"

#include <array>
#include <chrono>

namespace fireside::cpu {

/// Commands that run each op when it is recorded. Once the pass's stop token is set, ops return at
/// once and sync() throws, so the longest piece that cannot be stopped is one op.
class CpuCommands final : public Commands
{
public:
    CpuCommands(ThreadPool &pool, std::size_t scratchBytes, std::int64_t maxRows);

    void begin(const Batch &batch, std::stop_token stop) override;

    Tensor scratch(std::int64_t rows, std::int64_t cols) override;
    std::size_t mark() const override { return m_cursor; }
    void release(std::size_t mark) override;

    void embed(const Weight &table, float scale, const Tensor &out) override;
    void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) override;
    void headRmsNorm(const Tensor &x, const Weight &weight, float eps) override;
    void linear(const Tensor &x, std::span<const LinearTarget> targets, Accumulate mode) override;
    void gatedLinear(const Tensor &x, const Weight &gate, const Weight &up, Gate act,
                     const Tensor &out) override;
    void ropeToCache(const Tensor &q, const Tensor &k, const Tensor &v, std::int64_t layer,
                     const AttentionShape &shape, const Rope &rope) override;
    void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                   const Tensor &out) override;
    void gatherRows(const Tensor &x, std::span<const std::int32_t> rows,
                    const Tensor &out) override;
    void argmax(const Tensor &x, const Tensor &ids) override;
    void upload(std::span<const float> values, const Tensor &out) override;

    void sync() override;
    void read(const Tensor &x, std::span<float> values) override;
    void read(const Tensor &x, std::span<std::int32_t> values) override;
    std::vector<OpTime> takeOpTimes() override;

private:
    enum class Op {
        Embed,
        RmsNorm,
        HeadRmsNorm,
        Linear,
        GatedLinear,
        RopeToCache,
        Attention,
        GatherRows,
        Argmax,
        Upload,
        Count
    };
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
    KvView cacheOf(const BatchItem &item, std::int64_t layer, const AttentionShape &shape) const;

    ThreadPool &m_pool;
    LinearScratch m_linearScratch;
    CpuBuffer m_arena;
    std::size_t m_cursor = 0;
    std::int64_t m_maxRows;

    std::vector<std::int32_t> m_ids, m_positions; // [T] of the pass
    std::vector<BatchItem> m_items;
    std::stop_token m_stop;
    bool m_stopped = false; // an op of this pass was skipped
    std::vector<RopeTable> m_ropeTables;
    std::vector<LinearJob> m_jobs;          // reused from op to op
    std::vector<AttentionItem> m_attention; // the same

    struct OpCounter
    {
        std::int64_t calls = 0;
        std::chrono::steady_clock::duration time{};
    };
    std::array<OpCounter, static_cast<std::size_t>(Op::Count)> m_counters{};
};

} // namespace fireside::cpu
