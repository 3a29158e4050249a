#pragma once
#include "engine/backend/measuring_device.h"
#include "engine/backend/memory_plan.h"
#include "engine/model/network.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace fireside {

class LoadTypes;
struct PassPart;
class ModelFile;

/// A model loaded to a device that only measures: every byte it will take, before any is taken.
class MeasuredModel
{
public:
    /// types: what weights become while they are loaded; nullptr: they stay as they are. drafts:
    /// with the file's heads for drafting. Error(BadInput), Error(Unsupported) as loading would.
    explicit MeasuredModel(const ModelFile &file, bool drafts = false,
                           const LoadTypes *types = nullptr);

    const Config &config() const { return m_network->config(); }
    /// Of the embedding, each layer, and the output with heads for drafting; all with experts.
    const std::vector<MeasuredWeights> &parts() const { return m_parts; }
    /// The same on graphics processors with matrix units, where latent attention has more weights.
    const std::vector<MeasuredWeights> &partsWithMatrices() const { return m_withMatrices; }
    /// Of an output that lies on another device than the embedding: with a matrix of its own where
    /// it is the embedding's.
    const MeasuredWeights &outputElsewhere() const { return m_elsewhere; }
    /// Of each layer what its experts are, and the layer without them, in its two forms. Empty: no
    /// mixtures.
    struct Apart
    {
        std::vector<MeasuredWeights> experts, rest, restWithMatrices;
    };
    const Apart &apart() const { return m_apart; }
    /// What passes of `rows` tokens take at most on any device, wherever experts lie.
    MeasuredNeeds needs(std::int64_t rows);
    /// The same of a device that only computes experts for another one.
    MeasuredNeeds expertNeeds(std::int64_t rows);
    /// What each part does for one token, and for a chunk of so many of a prompt.
    std::vector<MemoryPlan::PartWork> steps(std::int64_t chunk);

private:
    void record(const Network &network, const PassPart &part, std::int64_t rows);
    std::vector<MeasuredWeights> load(const WeightTable &table, MeasuringDevice &device);
    void loadApart(const WeightTable &table, bool drafts);
    PassPart whole() const;

    const ModelFile &m_file;
    std::unique_ptr<Network> m_network;
    std::unique_ptr<Network> m_split; // with experts on the other device; none without mixtures
    MeasuringDevice m_device, m_helper;
    Apart m_apart;
    std::vector<MeasuredWeights> m_parts, m_withMatrices;
    MeasuredWeights m_elsewhere;
};

} // namespace fireside
