#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/selection.h"
#include "engine/model/lookahead.h"
#include "engine/model/network.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fireside {

class ModelFile;

/// Weights resident on their devices, and the way through them. The weights are immutable; passes
/// are serialised inside, because a device's recorder serves one at a time.
class Model
{
public:
    /// Loads every weight to where the placement says. `devices` are indexed by the placement;
    /// entries it does not use may be null. progress: what is
    /// done next, and 0…1. The file must outlive the model: weights on the CPU stay in its map.
    /// kvType: what the sessions' caches will be, to make the devices ready for it.
    Model(const ModelFile &file, std::vector<std::shared_ptr<Device>> devices, Placement placement,
          std::int64_t maxRows, DType kvType = DType::F16,
          const std::function<void(const char *, double)> &progress = {},
          std::stop_token stop = {});
    ~Model();

    const Config &config() const { return m_network->config(); }
    const Placement &placement() const { return m_placement; }
    /// The device that holds a layer: where its cache must live.
    Device &layerDevice(std::int64_t layer) const;
    std::int64_t maxRows() const { return m_maxRows; } // tokens one pass can take

    /// What a pass gives back: the logits of some rows, or what the device picks from them.
    struct Output
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
    /// Runs one pass. Error(Cancelled) when stopped; caches then hold undefined rows past `past`.
    /// Error(BadInput) that names the file and, where it can be told, the layer when a logit is NaN
    /// or infinite: results are finite numbers.
    /// Error(Io) when the model's file is no longer what was loaded: what the pass gave back is
    /// not to be used.
    void run(const Batch &batch, const Output &output, std::stop_token stop = {}) const;

    /// Waits for what runs ahead. Before memory of a cache is given back.
    void settle() const;
    std::int64_t passesAhead() const { return m_ahead.running(); } // for tests

    /// Bytes allocated on graphics cards, weights and the sessions' caches included.
    std::uint64_t deviceMemoryInUse() const;
    /// Device time per op since the last call, all devices together.
    std::vector<OpTime> takeOpTimes() const;

private:
    /// Consecutive pieces of the network.
    struct Part
    {
        bool embeds = false;
        std::int64_t firstLayer = 0, endLayer = 0;
        bool outputs = false;
    };
    /// A part on one device: one recording.
    struct Stage : Part
    {
        Device *device = nullptr;
        std::unique_ptr<Commands> commands;
    };
    static constexpr int kResidual = 0; // the slot of the residual stream of a part without output
    std::vector<Stage> planStages() const;
    void prepare(DType kvType) const;
    void compute(const Batch &batch, const Output &wanted, const std::stop_token &stop) const;
    bool goesAhead(const Batch &batch, const Output &output) const;
    void chooseNext(Commands &c, const Tensor &logits, const Output &output) const;
    bool follow(const Batch &batch, const Output &output, const std::stop_token &stop) const;
    void startAhead(const Batch &batch, const Output &output) const;
    void takeChosen(const Output &output) const;
    void recordPart(Commands &c, const Part &part, std::int64_t rows,
                    std::span<const float> carried, const Output &output) const;
    void requireFinite(const Batch &batch, const Output &output, const std::stop_token &stop) const;
    std::string firstNotFinite(const Batch &batch, const std::stop_token &stop) const;

    const ModelFile &m_file;
    std::vector<std::shared_ptr<Device>> m_devices;
    Placement m_placement;
    std::int64_t m_maxRows;
    std::unique_ptr<Network> m_network;
    std::vector<Stage> m_stages;
    mutable std::mutex m_pass;
    mutable Lookahead m_ahead;
};

} // namespace fireside
