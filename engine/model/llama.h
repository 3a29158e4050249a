#pragma once
#include "engine/model/network.h"

#include <vector>

namespace fireside {

/// Llama and its many relatives: pre-norm blocks of grouped-query attention with rotary positions
/// and a SwiGLU feed-forward. arXiv 2302.13971, 2307.09288, 2407.21783.
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
    struct Layer
    {
        Slot attentionNorm;       // [hidden]
        Slot q, k, v;             // [H·D, hidden], [Hkv·D, hidden] ×2
        Slot qBias, kBias, vBias; // some relatives have them
        Slot attentionOut;        // [hidden, H·D]
        Slot ffnNorm;             // [hidden]
        Slot gate, up, down;      // [ffn, hidden] ×2, [hidden, ffn]
    };
    Slot m_embedding; // [vocabulary, hidden]
    std::vector<Layer> m_layers;
    Slot m_outputNorm;   // [hidden]
    Slot m_outputWeight; // [vocabulary, hidden]
};

} // namespace fireside
