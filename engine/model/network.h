#pragma once
#include "engine/backend/backend.h"
#include "engine/model/config.h"
#include "engine/model/weights.h"

#include <cstdint>
#include <memory>

namespace fireside {

/// One family's forward pass, written once against Commands. Loading and running go part by part
/// (embedding, layers, output), so that each part can live on its own device.
class Network
{
public:
    explicit Network(Config config)
        : m_config(std::move(config))
    {}
    virtual ~Network() = default;
    const Config &config() const { return m_config; }
    /// What the next pass is for, see PassOutput::longContext. Passes come one at a time.
    void setLongContext(bool longContext) { m_config.longContext = longContext; }

    virtual void loadEmbedding(const WeightTable &table, Device &device) = 0;
    virtual void loadLayer(const WeightTable &table, const LayerDevices &devices,
                           std::int64_t layer) = 0;
    virtual void loadOutput(const WeightTable &table, Device &device) = 0;

    // x [T, streamWidth()] is the residual stream.
    virtual void embed(Commands &c, const Tensor &x) const = 0;
    virtual void layer(Commands &c, std::int64_t layer, const Tensor &x) const = 0;
    /// logits [rows of x, vocabulary]
    virtual void output(Commands &c, const Tensor &x, const Tensor &logits) const = 0;
    /// x with the last norm taken: what embeddings are made of.
    virtual Tensor finalRows(Commands &c, const Tensor &x) const = 0;
    /// The heads for drafting, as many as Config::drafts says, on the device that holds the rest.
    virtual void loadDraft(const WeightTable & /*table*/, Device & /*device*/,
                           std::int64_t /*head*/)
    {}
    /// hidden [T, hidden]: final rows, or those of a head; the batch's ids are the tokens that
    /// follow them. Gives what the head's layer gives.
    virtual Tensor draft(Commands & /*c*/, std::int64_t /*head*/, const Tensor &hidden) const
    {
        return hidden;
    }
    /// The same with the head's norm: its rows, for further heads.
    virtual Tensor draftRows(Commands & /*c*/, std::int64_t /*head*/, const Tensor &x) const
    {
        return x;
    }
    /// logits [rows, vocabulary]
    virtual void draftLogits(Commands & /*c*/, std::int64_t /*head*/, const Tensor & /*rows*/,
                             const Tensor & /*logits*/) const
    {}
    /// A reranker's scores [items, 1] of one final row for each item. Where Config::score says so.
    virtual void score(Commands & /*c*/, const Tensor & /*pooled*/, const Tensor & /*scores*/) const
    {}

private:
    Config m_config;
};

} // namespace fireside
