#pragma once
#include "engine/model/network.h"

#include <cstdint>
#include <span>

namespace fireside {

class ModelFile;

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
enum Kept : int { kResidual, kLogits, kGreedy, kTopLogits, kTopIds };

/// Records a part of a pass of so many rows. A part that does not embed begins with `carried`
/// [rows, streamWidth()], the residual stream of the part before.
void recordPart(const Network &network, Commands &c, const PassPart &part, std::int64_t rows,
                std::span<const float> carried, const PassOutput &output);

/// Bytes of scratch that a pass of `rows` tokens takes at most on any device: the pass is recorded
/// for one that only measures. Error(BadInput) when the file's tensors are not the model's.
std::uint64_t scratchBytes(const ModelFile &file, std::int64_t rows);

} // namespace fireside
