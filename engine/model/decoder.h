#pragma once
#include "engine/model/blocks/block.h"
#include "engine/model/network.h"

#include <vector>

namespace fireside {

/// The decoders: an embedding, layers of two blocks each with their norms, an output. What a layer
/// is made of stands in its LayerConfig, the places of norms in the Config. arXiv 2302.13971.
class Decoder : public Network
{
public:
    explicit Decoder(Config config);

    void loadEmbedding(const WeightTable &table, Device &device) override;
    void loadLayer(const WeightTable &table, const LayerDevices &devices,
                   std::int64_t layer) override;
    void loadOutput(const WeightTable &table, Device &device) override;
    void embed(Commands &c, const Tensor &x) const override;
    void layer(Commands &c, std::int64_t layer, const Tensor &x) const override;
    void output(Commands &c, const Tensor &x, const Tensor &logits) const override;
    Tensor finalRows(Commands &c, const Tensor &x) const override;
    void loadDraft(const WeightTable &table, Device &device, std::int64_t head) override;
    Tensor draft(Commands &c, std::int64_t head, const Tensor &hidden) const override;
    Tensor draftRows(Commands &c, std::int64_t head, const Tensor &x) const override;
    void draftLogits(Commands &c, std::int64_t head, const Tensor &rows,
                     const Tensor &logits) const override;

protected:
    using Slot = std::unique_ptr<Weight>;
    struct Layer
    {
        std::unique_ptr<Block> mixer, feedForward; // or none
        Norm mixerNorm, mixerAfter;
        Norm feedForwardNorm, feedForwardAfter;
    };
    /// x += block(norm(x)), with a norm of the result or its scale where there is one.
    void add(Commands &c, const Block &block, const Norm &before, const Norm &after,
             const Tensor &x) const;
    const Layer &layerAt(std::int64_t index) const
    {
        return m_layers[static_cast<std::size_t>(index)];
    }

private:
    /// What a head for drafting has beside its layer; where it lacks a part, the model's own.
    struct Draft
    {
        Norm embeddingNorm, hiddenNorm, norm;
        Slot join; // [hidden, 2·hidden]
        Slot embedding, output;
    };
    void addParallel(Commands &c, const Layer &l, const Tensor &x) const;
    const Weight &outputWeight() const { return m_outputWeight ? *m_outputWeight : *m_embedding; }
    void addLogits(Commands &c, const LinearInput &x, const Weight &weight,
                   const Tensor &logits) const;

    Slot m_embedding; // [vocabulary, hidden]
    Slot m_positions; // [positions, hidden] or none
    Slot m_tokenType; // [1, hidden] or none
    Norm m_embeddingNorm;
    std::vector<Layer> m_layers; // and of drafts
    std::vector<Draft> m_drafts;
    Norm m_outputNorm;
    Slot m_outputWeight; // [vocabulary, hidden]; none where it is the embedding beside it
    Slot m_outputBias;
    const Device *m_embeddingDevice = nullptr;
};

} // namespace fireside
