#pragma once
#include "engine/model/blocks/layer_inputs.h"
#include "engine/model/decoder.h"

#include <optional>

namespace fireside {

/// Gemma 3n: several residual streams (AltUp, arXiv 2301.13310), a product of low rank beside
/// attention (LAuReL, arXiv 2411.07501), layers with embeddings of their own.
class Gemma3nDecoder : public Decoder
{
public:
    explicit Gemma3nDecoder(Config config);

    void loadEmbedding(const WeightTable &table, Device &device) override;
    void loadLayer(const WeightTable &table, const LayerDevices &devices,
                   std::int64_t layer) override;
    void loadOutput(const WeightTable &table, Device &device) override;
    void embed(Commands &c, const Tensor &stream) const override;
    void layer(Commands &c, std::int64_t layer, const Tensor &stream) const override;
    void output(Commands &c, const Tensor &stream, const Tensor &logits) const override;
    Tensor finalRows(Commands &c, const Tensor &stream) const override;

private:
    /// The mean of the streams.
    Tensor merged(Commands &c, const Tensor &stream) const;
    /// What brings rows to the length of others: matrices of the streams but the first, and
    /// [1, hidden] that takes the mean.
    struct Projections
    {
        std::vector<Slot> matrices;
        Slot mean;
    };
    struct Own
    {
        explicit Own(const LayerWeights &weights);
        Norm routerNorm;                     // divided by hidden
        Slot router, prediction, correction; // [P, hidden], [P·P, P], [P, P]
        Slot laurelLeft, laurelRight;        // [rank, hidden], [hidden, rank]
        Norm laurelNorm;
        LayerInputBlock input;
    };
    /// x / length, and the length as a column: √(mean(x²)).
    struct Unit
    {
        Tensor x, length;
    };
    Tensor streamOf(const Tensor &stream, std::int64_t index) const;
    Projections loadProjections(const LayerWeights &weights, const char *name) const;
    Unit unitOf(Commands &c, const Projections &p, const Tensor &x) const;
    Tensor projected(Commands &c, const Projections &p, std::size_t index, const Tensor &x,
                     const Tensor &length) const;
    Tensor modalities(Commands &c, const Own &own, const Tensor &x) const;
    Tensor predicted(Commands &c, const Own &own, const Tensor &streams) const;
    void blocks(Commands &c, const Layer &layer, const Own &own, const Tensor &x,
                const Tensor &out) const;
    void correct(Commands &c, const Own &own, const Tensor &prediction, const Tensor &activated,
                 const Tensor &streams) const;

    Projections m_spread, m_merge;
    std::optional<LayerInputs> m_inputs;
    std::vector<std::optional<Own>> m_own;
};

} // namespace fireside
