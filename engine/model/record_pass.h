#pragma once
#include "engine/model/network.h"

#include <cstdint>
#include <functional>
#include <span>

namespace fireside {

/// What a pass gives back: the logits of some rows, or what the device picks from them.
struct PassOutput
{
    std::span<const std::int32_t> rows{}; // of the batch, kMaxOutputRows at most
    std::span<float> logits{};            // [rows, vocabulary], or empty
    std::span<std::int32_t> greedy{};     // [rows]: the arg-max, or empty
    std::span<float> topLogits{};         // [rows, k]: the k largest in falling order, or empty
    std::span<std::int32_t> topIds{};     // [rows, k]: their tokens; −1 where there are fewer
    /// Set where the passes that follow may already run, with the tokens the device would
    /// choose: a batch of one row per item, and either greedy or top results of all rows. The
    /// next run() with those tokens, for the same caches, then only takes what is there.
    const NextIds *next = nullptr;
    std::int64_t maxAhead = 0; // how many passes may follow that are sure to be wanted
    const std::function<bool()> *goesOn = nullptr; // see PassOptions
    /// What sequences mean. Of a batch of several, one row for each item.
    std::span<float> hidden{}; // [rows of the batch, hidden]: the final rows, or empty
    std::span<float> pooled{}; // [items, hidden]: as `pooling` says, or empty
    std::span<float> scores{}; // [items]: of a reranker, or empty
    Pooling pooling = Pooling::Mean;
    /// LongRoPE: the keys of all items are turned for chats beyond Config::shortContext.
    bool longContext = false;
    bool embeds() const { return !hidden.empty() || !pooled.empty() || !scores.empty(); }
    bool wantsNothing() const { return rows.empty() && !embeds(); }
    std::int64_t topK() const
    {
        return rows.empty() ? 0 : static_cast<std::int64_t>(topIds.size() / rows.size());
    }
};

/// Consecutive pieces of a network.
struct PassPart
{
    bool embeds = false;
    std::int64_t firstLayer = 0, endLayer = 0;
    bool outputs = false;
};

/// What a part keeps of a pass for after sync(): the slots of Commands::keep().
enum Kept : int { kResidual, kLogits, kGreedy, kTopLogits, kTopIds, kHidden, kPooled, kScores };

/// Records a part of a pass of so many rows. A part that does not embed begins with what was
/// brought (HandOver::bring()): [rows, streamWidth()], the residual stream of the part before.
/// `items` of the batch.
void recordPart(const Network &network, Commands &c, const PassPart &part, std::int64_t rows,
                const PassOutput &output, std::int64_t items = 1);

/// Records a pass through a head for drafting, see Model::draft().
void recordDraft(const Network &network, Commands &c, std::int64_t head,
                 std::span<const float> hidden, const PassOutput &output);

} // namespace fireside
