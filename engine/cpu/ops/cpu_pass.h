#pragma once
#include "engine/backend/batch.h"
#include "engine/backend/ops/advance.h"
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/op_check.h"
#include "engine/backend/ops/transform_heads.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/memory/cpu_buffer.h"
#include "engine/cpu/memory/float_views.h"
#include "engine/cpu/ops/expert_ops.h"
#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/ops/state_ops.h"

#include <stop_token>
#include <vector>

namespace fireside::cpu {

/// What the ops of a pass work with: the batch, the threads, and memory that is reused from op to
/// op.
struct CpuPass
{
    CpuPass(ThreadPool &threads, std::int64_t maxRows);

    /// A copy of the batch; everything taken for the pass before is free again.
    void begin(const Batch &batch);
    /// Bytes of the memory that ops took so far.
    std::size_t workBytes() const;
    std::int64_t rows() const { return static_cast<std::int64_t>(positions.size()); }
    std::span<const RowSpan> itemRows();
    /// cos and sin of the pass's positions; layers of a model share a few.
    const float *ropeTableFor(const Rope &rope);
    /// `attention`: the items with their caches of the layer. Error(Internal) where one does not
    /// fit the shape or holds too few tokens, Error(Unsupported) for one of a type that there is
    /// none of.
    void findCaches(std::int64_t layer, const AttentionShape &shape);
    /// Each item with its part of a state. Error(Internal) where it has none.
    std::span<const StateItem> findStates(const op::OpCheck &check, const op::StatePart &part);

    ThreadPool &pool;
    LinearScratch linearScratch;
    ExpertScratch expertScratch;
    ScratchBuffer productMemory;
    FloatViews views;
    std::vector<LinearJob> jobs;
    std::vector<AttentionItem> attention;

    std::vector<std::int32_t> positions; // [T]
    std::vector<BatchItem> items;
    Tensor ids, positionIds, outputRows; // I32, of the batch
    NextIds next{};                      // of op::Advance
    std::vector<float> draws;            // of next
    std::stop_token stop;
    bool stopped = false; // ops are skipped

private:
    struct RopeTable
    {
        Rope rope;
        bool current = false; // computed in this pass
        std::vector<float> cosSin;
    };
    KvView cacheOf(const BatchItem &item, std::int64_t layer, const AttentionShape &shape) const;

    std::int64_t m_maxRows;
    CpuBuffer m_ids; // [3, maxRows]
    std::vector<RopeTable> m_ropeTables;
    std::vector<RowSpan> m_spans;
    std::vector<StateItem> m_states;
};

} // namespace fireside::cpu
