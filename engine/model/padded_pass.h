#pragma once
#include "engine/backend/commands.h"
#include "engine/model/record_pass.h"

#include <memory>
#include <vector>

namespace fireside {

/// The memory that rows of a pass write to which are nobody's: one layer's, for all layers.
class PaddingCache
{
public:
    /// Like the layers of a chat's cache, which they are computed beside. Error(Memory). Waits for
    /// what runs ahead where other memory is needed.
    std::span<const KvLayer> like(std::span<const KvLayer> chat, Device &device,
                                  Commands &commands);

private:
    std::unique_ptr<Buffer> m_keys, m_values;
    std::vector<KvLayer> m_layers;
};

/// A pass over chats with rows behind them that are nobody's, so that it is like other passes.
class PaddedPass
{
public:
    /// Of a batch of one row for each item, and of `wanted`, which asks for the arg-max or the best
    /// candidates of all rows, in order. rows: with those that are nobody's.
    PaddedPass(const Batch &batch, const PassOutput &wanted, std::int64_t rows,
               std::span<const KvLayer> cache);
    PaddedPass(const PaddedPass &) = delete;
    PaddedPass &operator=(const PaddedPass &) = delete;
    const Batch &batch() const { return m_batch; }
    const PassOutput &output() const { return m_output; }
    /// Puts what the pass gave where it was wanted.
    void giveBack() const;

private:
    const PassOutput &m_wanted;
    std::vector<std::int32_t> m_ids, m_positions, m_rows, m_greedy, m_topIds;
    std::vector<BatchItem> m_items;
    std::vector<float> m_topLogits, m_draws;
    NextIds m_next;
    Batch m_batch;
    PassOutput m_output;
};

} // namespace fireside
