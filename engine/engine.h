#pragma once
#include "engine/backend/selection.h"
#include "engine/backend/speed_store.h"
#include "engine/fallback.h"
#include "engine/generate/generator.h"
#include "engine/generate/session.h"
#include "engine/model/describe.h"
#include "engine/text/chat_template.h"
#include "engine/text/reply/reply_format.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

// The engine in one breath: Engine probes devices; load() opens a file, plans its memory, selects a
// device for each layer and makes the weights resident; a Session holds a conversation's cache;
// generate() (generator.h) streams a reply.
namespace fireside {

namespace constrain {
class Grammar; // engine/constrain/grammar.h, and its readers
}

struct LoadOptions
{
    BackendKind backend = BackendKind::Auto;
    int context = 0; // tokens; 0: the trained one, kDefaultContextLimit at most
    DType kvType = DType::F16;
    int threads = 0; // 0: automatic
    /// What weights in F32, F16 and BF16 become while they are loaded; nullptr: they stay so.
    const Recipe *quantize = nullptr;
    /// For programs that work on token ids alone: no tokenizer and no template are read.
    bool idsOnly = false;
    /// For embeddings, which encoders give too; else a model that cannot chat is refused.
    bool embeddings = false;
    /// With the file's heads for drafting, which guess further tokens; Error(Unsupported) where it
    /// has none.
    bool draftHeads = false;
    // Where it may run, see PlacementRequest.
    std::vector<DeviceWish> devices{};
    bool fastest = false;
    int cardLayers = -1;
    int expertLayers = -1;
    bool smallerCache = false;
    int leastContext = 0;
    bool strict = false;
    /// Exactly here, of Engine::choose()'s options, whatever else is asked.
    std::optional<Placement> placement{};
    /// From Engine::recover(): how to load the model again after a device failed.
    std::optional<Recovery> recovery{};
};

/// What load options say about where.
PlacementRequest requestOf(const LoadOptions &options);

/// stage: "opening", "looking at the devices", "opening the device", "making room for weights" or
/// "quantising weights", "preparing", "loading weights", "reading the vocabulary", "giving the
/// file's pages back", "ready"; fraction 0…1
using LoadProgress = std::function<void(const char *stage, double fraction)>;

/// What a reply begins with.
struct ChatPrompt
{
    std::vector<TokenId> tokens;
    bool inReasoning = false; // the template began the thoughts
};

/// A model ready to answer: weights, tokenizer, template, and where and why it runs. Immutable.
class LoadedModel
{
public:
    LoadedModel();
    ~LoadedModel();
    const ModelSummary &summary() const;
    const MemoryPlan &plan() const; // at the loaded context
    const Selection &selection() const;
    const DeviceReport &device() const;
    const std::vector<DeviceReport> &devices() const; // that there were when it was loaded
    /// Of each device that holds a part of it: what was predicted with a full context, and now.
    struct DeviceUse
    {
        DeviceReport report;
        MemoryBytes planned;
        DeviceMemory now;
    };
    std::vector<DeviceUse> memory() const;
    /// "all 16 layers on the CPU"; and what weights became while loading.
    std::string placementText() const;
    const Model &model() const;
    const Tokenizer &tokenizer() const; // Error(Internal) when loaded with idsOnly
    /// The file's own template; nullptr when it has none or it does not parse (summary().remarks).
    const ChatTemplate *chatTemplate() const;
    int context() const;
    DType kvType() const;
    /// Everything that keys and values of given tokens depend on: the contents of the model's files
    /// (fingerprint and ModelFile::contentHash(); RoPE and its scaling are theirs), what weights
    /// became while loading, the cache's type and the devices. Models with equal texts may share
    /// them.
    const std::string &cacheKey() const;

    std::unique_ptr<Session> newSession() const;
    /// The tokens of a chat: its template, or ChatML when it has none; BOS as the model wants it.
    std::vector<TokenId> chatTokens(const std::vector<ChatMessage> &messages) const;
    /// The same with thinking as chosen, as far as the template can be told (thinkingSwitches()).
    ChatPrompt chatPrompt(const std::vector<ChatMessage> &messages,
                          const ThinkingChoice &choice) const;
    /// A grammar made ready for replies of this model: GenerateRequest::grammar. The vocabulary is
    /// prepared when this is first called. Safe from several threads.
    std::shared_ptr<const constrain::TokenGrammar>
    constrained(const constrain::Grammar &grammar) const;
    /// How replies are cut into parts, found when the model was loaded.
    const ReplyFormat &replyFormat() const;
    const ThinkingSwitches &thinkingSwitches() const;

private:
    std::string layersPlaced() const;
    friend class Engine;
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

struct EngineOptions
{
    /// Where devices may keep what they compile, and their speeds, between runs; empty: nowhere.
    std::filesystem::path cacheFolder{};
    /// In place of the linked backends, for tests: what there is, the CPU first, and how one of it
    /// is opened.
    std::function<std::vector<DeviceReport>()> probe{};
    std::function<std::unique_ptr<Device>(const DeviceReport &, const LoadOptions &)> open{};
};

class Engine
{
public:
    explicit Engine(EngineOptions options = {});
    ~Engine();
    /// The CPU first, then every Vulkan device (or the reason why there is none). Probed on first
    /// use.
    const std::vector<DeviceReport> &devices();
    /// Throws Error: BadInput, Unsupported, Memory, Io, Device, Cancelled. With
    /// BackendKind::Auto a GPU that runs out of memory while loading gets fewer layers, one that
    /// fails is passed over, and the selection's reason says so.
    std::shared_ptr<const LoadedModel> load(const std::filesystem::path &path,
                                            const LoadOptions &options = {},
                                            const LoadProgress &progress = {},
                                            std::stop_token stop = {});

    /// Loads and makes the first session, whose cache is the last that may not fit: then, with
    /// BackendKind::Auto or in a recovery, as if loading had failed.
    struct Opened
    {
        std::shared_ptr<const LoadedModel> model;
        std::unique_ptr<Session> session; // refers to *model; an encoder has none
    };
    Opened open(const std::filesystem::path &path, LoadOptions options = {},
                const LoadProgress &progress = {}, std::stop_token stop = {});

    /// Where load() would put the model, and every other way to run it, from its header alone.
    /// Throws as load() would.
    struct Choice
    {
        ModelSummary summary;
        std::vector<DeviceReport> devices;
        Selection selection;
    };
    Choice choose(const std::filesystem::path &path, const LoadOptions &options = {},
                  const std::stop_token &stop = {});
    /// The same on any thread and without an engine: with these devices, the speeds that engines
    /// have kept in the folder, and all options where none can be taken (explain()).
    static Choice preview(const std::filesystem::path &path, const LoadOptions &options,
                          std::vector<DeviceReport> devices,
                          const std::filesystem::path &cacheFolder);
    /// The processor's rates, which its expected speeds come from, if not known yet, for who wants
    /// to see them where no choice needed them. Error: Cancelled.
    void rateProcessor(const std::stop_token &stop = {});
    /// What the model wrote and read a second, kept for the next choice of its devices: measured at
    /// length, or in one reply, of which the median of several counts.
    void noteSpeed(const LoadedModel &model, const Speed &speed);
    void noteReply(const LoadedModel &model, const Speed &speed);

    /// A device failed in the middle of a reply. How to load the model again, which must be gone
    /// by then; nullopt where that would not help. A card that is given up for good counts as
    /// unavailable, with its reason, until the program ends.
    std::optional<Recovery> recover(const LoadedModel &model, const Error &error);
    /// A whole reply was computed on the model's devices: earlier failures no longer count.
    void wentThrough(const LoadedModel &model);
    /// A device counts as unavailable, for this reason, until the program ends.
    void markFailed(const std::string &deviceId, const std::string &reason);
    /// The graphics cards of a model that is about to go stay open, with what they have compiled,
    /// for the next load; one that failed meanwhile is then opened anew.
    void keepDevices(const LoadedModel &model);
    void letDevicesGo() { m_kept.clear(); }

private:
    std::vector<DeviceReport> devicesFor(const LoadOptions &options);
    Speed expectedOf(const LoadedModel &model) const;
    KnownSpeeds speedsOf(const ModelSummary &summary,
                         const std::vector<DeviceReport> &devices) const;
    /// The speeds of devices that a choice is between, if not known yet: measureRates() each, once
    /// for each driver.
    void measureDevices(const LoadOptions &options, const std::stop_token &stop);
    EngineOptions m_options;
    SpeedStore m_speeds;
    std::vector<DeviceReport> m_devices; // empty until probed
    FailedCards m_failed;
    std::vector<std::shared_ptr<Device>> m_kept; // that no model uses now
};

} // namespace fireside
