#pragma once
#include "engine/model/blocks/layer_inputs.h"
#include "engine/model/blocks/mixture.h"
#include "engine/model/decoder.h"

#include <optional>

namespace fireside {

/// Gemma 4: layers with embeddings of their own, a mixture of experts beside the feed-forward, and
/// a factor at the end of each layer.
class Gemma4Decoder : public Decoder
{
public:
    explicit Gemma4Decoder(Config config);

    void loadEmbedding(const WeightTable &table, Device &device) override;
    void loadLayer(const WeightTable &table, const LayerDevices &devices,
                   std::int64_t layer) override;
    void embed(Commands &c, const Tensor &stream) const override;
    void layer(Commands &c, std::int64_t layer, const Tensor &stream) const override;
    void output(Commands &c, const Tensor &stream, const Tensor &logits) const override;
    Tensor finalRows(Commands &c, const Tensor &stream) const override;

private:
    struct Mixture
    {
        explicit Mixture(const LayerWeights &weights);
        MixtureBlock block;
        Norm denseAfter, before, after, router;
    };
    struct Own
    {
        std::optional<Mixture> mixture;
        std::optional<LayerInputBlock> input;
        float scale = 1;
    };
    void addBoth(Commands &c, const Layer &layer, const Mixture &mixture, const Tensor &x) const;

    std::optional<LayerInputs> m_inputs;
    std::vector<Own> m_own;
};

} // namespace fireside
