#pragma once
#include "engine/model/network.h"

#include <vector>

namespace fireside {

/// Llama and its many relatives: pre-norm blocks of grouped-query attention with rotary positions
/// and a gated feed-forward. arXiv 2302.13971, 2307.09288, 2407.21783. With norms over the heads of
/// q and k, or a mixture of experts instead of the feed-forward: Qwen3, arXiv 2505.09388, and
/// Mixtral, arXiv 2401.04088.
class LlamaNetwork : public Network
{
public:
    explicit LlamaNetwork(Config config);

    void loadEmbedding(const WeightTable &table, Device &device) override;
    void loadLayer(const WeightTable &table, Device &device, std::int64_t layer) override;
    void loadOutput(const WeightTable &table, Device &device) override;
    void embed(Commands &c, const Tensor &x) const override;
    void layer(Commands &c, std::int64_t layer, const Tensor &x) const override;
    void output(Commands &c, const Tensor &x, const Tensor &logits) const override;

private:
    using Slot = std::unique_ptr<Weight>;
    struct Attention
    {
        Slot norm;                         // [hidden]
        Slot q, k, v;                      // [H·D, hidden], [Hkv·D, hidden] ×2
        Slot qNorm, kNorm;                 // [D] each, or none
        Slot out;                          // [hidden, H·D]
        Slot qBias, kBias, vBias, outBias; // or none
    };
    struct FeedForward
    {
        Slot norm;           // [hidden]
        Slot router;         // [E, hidden] of a mixture, or none
        Slot gate, up, down; // [ffn, hidden] ×2, [hidden, ffn]; of depth E in a mixture
        Slot gateBias, upBias, downBias; // or none
    };
    struct Layer
    {
        Attention attention;
        FeedForward ffn;
    };
    class Loader; // of one layer's weights
    void attend(Commands &c, const Attention &a, std::int64_t layer, const Tensor &x) const;
    void feedForward(Commands &c, const FeedForward &f, const Tensor &x) const;
    void mixture(Commands &c, const FeedForward &f, const Tensor &x) const;

    Slot m_embedding; // [vocabulary, hidden]
    std::vector<Layer> m_layers;
    Slot m_outputNorm;   // [hidden]
    Slot m_outputWeight; // [vocabulary, hidden]
};

} // namespace fireside
