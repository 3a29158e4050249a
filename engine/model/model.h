#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/selection.h"
#include "engine/core/thread_pool.h"
#include "engine/model/padded_pass.h"
#include "engine/model/record_pass.h"
#include "engine/model/weights.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fireside {

class LoadTypes;
class ModelFile;

/// Weights that become other types while they are loaded.
struct LoadQuantizing
{
    const LoadTypes *types = nullptr; // none: they stay as they are
    int threads = 1;
};

/// Weights resident on their devices, and the way through them. The weights are immutable; passes
/// are serialised inside, because a device's recorder serves one at a time.
class Model
{
public:
    /// Loads every weight to where the placement says. `devices` are indexed by the placement;
    /// entries it does not use may be null. progress: what is
    /// done next, and 0…1. The file must outlive the model: weights on the CPU stay in its map.
    /// kvType: what the sessions' caches will be, to make the devices ready for it; with F32 the
    /// keys and values of encoders are not rounded either.
    /// quantizing: its types need only live until the model is loaded.
    /// drafts: with the file's heads for drafting. Error(Unsupported) where it has none, or where
    /// the model lies on several devices.
    Model(const ModelFile &file, std::vector<std::shared_ptr<Device>> devices, Placement placement,
          std::int64_t maxRows, DType kvType = DType::F16,
          const std::function<void(const char *, double)> &progress = {}, std::stop_token stop = {},
          const LoadQuantizing &quantizing = {}, bool drafts = false);
    ~Model();

    const Config &config() const { return m_network->config(); }
    const Placement &placement() const { return m_placement; }
    /// The device that holds a layer: where its cache must live.
    Device &layerDevice(std::int64_t layer) const;
    /// The one that computes its experts, where it has any.
    Device &expertDevice(std::int64_t layer) const;
    /// By its index in the placement; null where nothing lies on it.
    const Device *device(std::size_t index) const { return m_devices.at(index).get(); }
    const std::vector<std::shared_ptr<Device>> &devices() const { return m_devices; }
    std::int64_t maxRows() const { return m_maxRows; } // tokens one pass can take

    using Output = PassOutput;
    /// Runs one pass. Error(Cancelled) when stopped; caches then hold undefined rows past `past`.
    /// Error(BadInput) that names the file and, where it can be told, the layer when a logit is NaN
    /// or infinite: results are finite numbers.
    /// Error(Io) when the model's file is no longer what was loaded: what the pass gave back is
    /// not to be used.
    void run(const Batch &batch, const Output &output, std::stop_token stop = {}) const;

    /// Whether chunks of a prompt can be on several devices at the same time.
    bool overlapsChunks() const;
    struct Chunk
    {
        Batch batch;
        Output output{};
    };
    /// The chunks of a prompt, one after another, as run() would; each device goes on with the next
    /// one while others still work. Only the last may want results; none runs ahead. `done` is
    /// called for each that is complete, in order and on this thread; it must not call the model.
    /// Errors as of run(): of chunks not told as done the caches then hold undefined rows.
    void runChunks(std::span<const Chunk> chunks, const std::function<void(std::size_t)> &done,
                   const std::stop_token &stop = {}) const;

    /// A pass through a head for drafting: the batch's ids are the tokens that follow the final
    /// rows `hidden` [rows of the batch, hidden], which a pass gave, or a head. Its cache is that
    /// of layer Config::layers + head. Of `output`: rows and their logits, greedy choice, and in
    /// `hidden` the head's own [rows of the batch, hidden]. Errors as of run().
    void draft(std::int64_t head, const Batch &batch, std::span<const float> hidden,
               const Output &output, std::stop_token stop = {}) const;

    /// Makes the devices ready for passes of up to so many chats together, as a server has them.
    /// For one and two loading has done so. Not during a pass. Error: Memory, Device.
    void prepareChats(std::int64_t chats) const;

    /// Error(Io), as a pass would end with, where a file of the model is not as it was when it was
    /// opened, or could not be read. Any thread.
    void requireUnchangedFile() const;

    /// Waits for what runs ahead. Before memory of a cache is given back.
    void settle() const;
    std::int64_t passesAhead() const; // for tests

    /// Bytes on all devices, weights in a file's map and the sessions' caches included.
    std::uint64_t memoryInUse() const;
    /// Device time per op since the last call, all devices together.
    std::vector<OpTime> takeOpTimes() const;

private:
    /// A part on one device: one recording.
    struct Stage : PassPart
    {
        Device *device = nullptr;
        Device *experts = nullptr; // another one, that computes experts of its layers; or none
        std::unique_ptr<Commands> commands;
    };
    /// Who computes experts for stages on other devices.
    struct Helper
    {
        Device *device = nullptr;
        std::unique_ptr<Commands> commands;
    };
    void requireCachesNear(const Config &config) const;
    std::vector<Stage> planStages() const;
    void makeCommands();
    void beginHelpers(const Batch &batch, const std::stop_token &stop) const;
    bool usesFile() const;
    void guarded(FunctionRef<void()> pass) const;
    struct Preparation;
    void prepare() const;
    void prepareWith(FunctionRef<void(const Stage &, const Preparation &)> ask) const;
    void prepareStage(const Stage &stage, const Preparation &with) const;
    void prepareTogether(const Stage &stage, const Preparation &with, std::int64_t most) const;
    void preparePass(const Stage &stage, const Preparation &with,
                     std::span<const std::int64_t> itemRows, const Output &output,
                     std::int64_t maxKeys) const;
    class Pipeline;
    void requirePlanned(const Batch &batch, const Output &output) const;
    void compute(const Batch &batch, const Output &wanted, const std::stop_token &stop) const;
    /// A stage's part of a pass. stream: the residual stream of the stage before, then its own.
    void runStage(const Stage &stage, const Batch &pass, const Output &output,
                  const std::stop_token &stop, std::vector<float> &stream) const;
    bool canAdvance(const Batch &batch, const Output &output) const;
    bool choosesForEach(const Batch &batch, const Output &output) const;
    std::optional<PaddedPass> padded(const Batch &batch, const Output &wanted) const;
    void computeExactly(const Batch &batch, const Output &wanted,
                        const std::stop_token &stop) const;
    /// where: what is said of where a bad value is
    void requireFinite(const Output &output, const std::function<std::string()> &where) const;
    std::string firstNotFinite(const Batch &batch, const std::stop_token &stop) const;

    const ModelFile &m_file;
    std::vector<std::shared_ptr<Device>> m_devices;
    Placement m_placement;
    std::int64_t m_maxRows;
    DType m_kvType;
    std::unique_ptr<Network> m_network;
    std::unique_ptr<WeightTable> m_table; // holds what weights of folders were made into
    mutable PaddingCache m_padding;       // before the stages, whose passes write to it
    std::vector<Helper> m_helpers;        // before the stages, which know them
    std::vector<Stage> m_stages;
    mutable std::mutex m_pass;
    mutable std::vector<float> m_carried; // the residual stream between two stages of a pass
};

} // namespace fireside
