#include "engine/engine.h"

#include "engine/chat_prompt.h"
#include "engine/constrain/constraint.h"
#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"
#include "engine/engine_choice.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "engine/model/model.h"
#include "engine/model/quantize/load_types.h"
#include "engine/text/chat_ml.h"
#include "engine/text/remarks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <future>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace fireside {
namespace {

std::vector<std::shared_ptr<Device>> openDevices(const Placement &placement,
                                                 const std::vector<DeviceReport> &reports,
                                                 const LoadOptions &options,
                                                 const EngineOptions &engine,
                                                 std::span<const std::shared_ptr<Device>> kept)
{
    std::vector<std::shared_ptr<Device>> devices(reports.size());
    const auto open = [&](int index) {
        const auto i = static_cast<std::size_t>(index);
        if (devices.at(i))
            return;
        const DeviceReport &report = reports[i];
        const auto same = [&](const auto &device) {
            return device->report().id == report.id && device->report().name == report.name;
        };
        if (const auto it = std::find_if(kept.begin(), kept.end(), same); it != kept.end())
            devices[i] = *it;
        else if (engine.open)
            devices[i] = engine.open(report, options);
        else if (report.kind == BackendKind::Cpu)
            devices[i] = openCpu({.threads = options.threads});
        else
            devices[i] = openVulkan(report, {.cacheFolder = engine.cacheFolder});
    };
    open(placement.embedding);
    for (const int layer : placement.layers)
        open(layer);
    for (const int experts : placement.experts)
        open(experts);
    open(placement.output);
    return devices;
}

/// Rows of a pass: as the device that runs most layers likes it. An encoder needs all of a sequence
/// at once.
std::int64_t rowsOfPass(const DeviceReport &device, const ModelSummary &summary, int context)
{
    const bool gpu = device.kind == BackendKind::Vulkan && !device.software;
    if (summary.encoder)
        return std::max<std::int64_t>(gpu ? kGpuEncoderRows : kPromptChunk, context);
    return gpu ? kGpuPromptChunk : kPromptChunk;
}

/// Whether the placement puts anything on the device with this index.
bool placed(const Placement &placement, std::ptrdiff_t device)
{
    const auto here = [device](int index) { return index == device; };
    return here(placement.embedding) || here(placement.output) ||
           std::any_of(placement.layers.begin(), placement.layers.end(), here) ||
           std::any_of(placement.experts.begin(), placement.experts.end(), here);
}

/// Whether a device that was kept open may have been lost while nobody used it: then it is opened
/// anew. One that hangs is not.
bool lostMeanwhile(const Error &error, std::vector<std::shared_ptr<Device>> &kept)
{
    const bool lost = error.kind() == ErrorKind::Device && !kept.empty() && !error.isHang();
    if (error.kind() == ErrorKind::Device)
        kept.clear();
    return lost;
}

std::string layersText(std::ptrdiff_t count, std::size_t all, const std::string &where)
{
    return std::to_string(count) + " of " + std::to_string(all) + " layers on " + where;
}

} // namespace

struct LoadedModel::Parts
{
    explicit Parts(ModelFile opened)
        : file(std::move(opened))
    {}
    void readText();
    void requireVocabulary(const std::filesystem::path &path) const;
    void upload(const LoadOptions &options, const EngineOptions &engine,
                std::span<const std::shared_ptr<Device>> kept, const LoadProgress &progress,
                std::stop_token stop);
    void dropUnusedPages();
    std::string keyOfCache() const;

    ModelFile file; // first: the weights point into its map
    ModelSummary summary;
    MemoryPlan plan;
    Selection selection;
    std::vector<DeviceReport> reports;
    std::unique_ptr<Tokenizer> tokenizer;
    std::optional<ChatTemplate> chatTemplate;
    std::optional<ChatTemplate> fallbackTemplate; // when the file has no usable one
    ReplyFormat replyFormat;
    ThinkingSwitches thinkingSwitches;
    std::unique_ptr<Model> model;
    std::string cacheKey;
    std::once_flag vocabularyOnce;
    std::shared_ptr<const constrain::VocabularyTrie> vocabulary; // when a grammar first needs it

    const ChatTemplate &format() const { return chatTemplate ? *chatTemplate : *fallbackTemplate; }
};

/// The tokenizer must not give ids that have no row.
void LoadedModel::Parts::requireVocabulary(const std::filesystem::path &path) const
{
    requireRows(*tokenizer, path, static_cast<std::size_t>(summary.vocabulary));
}

/// Tokenizer and template; needs nothing but the file.
void LoadedModel::Parts::readText()
{
    tokenizer = Tokenizer::fromModel(file);
    if (const auto source = file.chatTemplate()) {
        try {
            chatTemplate.emplace(*source);
        } catch (const Error &) { // summary.remarks says why
            chatTemplate.reset();
        }
    }
    if (!chatTemplate)
        fallbackTemplate.emplace(kChatMl);
    const std::string bos = tokenizer->bosText(), eos = tokenizer->eosText();
    replyFormat = replyFormatOf(format(), bos, eos);
    thinkingSwitches = thinkingSwitchesOf(format(), bos, eos);
}

/// The weights, onto the devices that were selected.
void LoadedModel::Parts::upload(const LoadOptions &options, const EngineOptions &engine,
                                std::span<const std::shared_ptr<Device>> kept,
                                const LoadProgress &progress, std::stop_token stop)
{
    auto devices = openDevices(selection.placement, reports, options, engine, kept);
    const DeviceReport &device = reports.at(static_cast<std::size_t>(selection.device));
    const std::int64_t rows = rowsOfPass(device, summary, plan.context);
    const LoadTypes types = options.quantize ? LoadTypes(file, *options.quantize) : LoadTypes();
    const LoadQuantizing quantizing{types.any() ? &types : nullptr,
                                    options.threads > 0 ? options.threads : cpuInfo().threads};
    model = std::make_unique<Model>(file, std::move(devices), selection.placement, rows,
                                    plan.kvType, progress, stop, quantizing,
                                    options.draftHeads && !options.recovery);
}

/// What was copied to graphics cards need not lie in RAM as well.
void LoadedModel::Parts::dropUnusedPages()
{
    const auto usesFile = [this](const DeviceReport &report) {
        return report.kind == BackendKind::Cpu &&
               placed(selection.placement, &report - reports.data());
    };
    if (std::none_of(reports.begin(), reports.end(), usesFile))
        file.dropPages();
}

std::string LoadedModel::Parts::keyOfCache() const
{
    std::array<char, 24> contents{};
    std::snprintf(contents.data(), contents.size(), "%016llx",
                  static_cast<unsigned long long>(file.contentHash()));
    std::string key =
        "model " + summary.fingerprint + ' ' + contents.data() + ", cache " + name(plan.kvType);
    if (!summary.quantisedTo.empty())
        key += ", weights " + summary.quantisedTo;
    for (const DeviceReport &report : reports)
        if (placed(selection.placement, &report - reports.data()))
            key += std::string(", ") + toString(report.kind) + " " + modelOf(report);
    return key;
}

LoadedModel::LoadedModel() = default;
LoadedModel::~LoadedModel() = default;

const ModelSummary &LoadedModel::summary() const
{
    return m_parts->summary;
}
const MemoryPlan &LoadedModel::plan() const
{
    return m_parts->plan;
}
const Selection &LoadedModel::selection() const
{
    return m_parts->selection;
}
const std::vector<DeviceReport> &LoadedModel::devices() const
{
    return m_parts->reports;
}
const Model &LoadedModel::model() const
{
    return *m_parts->model;
}
const Tokenizer &LoadedModel::tokenizer() const
{
    if (!m_parts->tokenizer)
        throw Error(ErrorKind::Internal, "the model was loaded without its tokenizer");
    return *m_parts->tokenizer;
}
int LoadedModel::context() const
{
    return m_parts->plan.context;
}
const std::string &LoadedModel::cacheKey() const
{
    return m_parts->cacheKey;
}
DType LoadedModel::kvType() const
{
    return m_parts->plan.kvType;
}

const DeviceReport &LoadedModel::device() const
{
    return m_parts->reports.at(static_cast<std::size_t>(m_parts->selection.device));
}

std::vector<LoadedModel::DeviceUse> LoadedModel::memory() const
{
    std::vector<DeviceUse> uses;
    const Parts &p = *m_parts;
    for (std::size_t i = 0; i < p.reports.size(); ++i)
        if (const Device *device = p.model->device(i))
            uses.push_back({p.reports[i], plannedUse(p.plan, p.selection.placement, p.reports, i),
                            device->memoryNow()});
    return uses;
}

const ChatTemplate *LoadedModel::chatTemplate() const
{
    return m_parts->chatTemplate ? &*m_parts->chatTemplate : nullptr;
}

std::string LoadedModel::placementText() const
{
    const std::string &made = m_parts->summary.quantisedTo;
    return layersPlaced() +
           (made.empty() ? "" : ", weights quantised to " + made + " while loading");
}

std::string LoadedModel::layersPlaced() const
{
    const Placement &placement = m_parts->selection.placement;
    const std::vector<int> &layers = placement.layers;
    std::string text, experts;
    for (std::size_t i = 0; i < m_parts->reports.size(); ++i) {
        const int device = static_cast<int>(i);
        const DeviceReport &report = m_parts->reports[i];
        const std::string where = report.kind == BackendKind::Cpu ? "the CPU" : report.name;
        const auto count = std::count(layers.begin(), layers.end(), device);
        if (static_cast<std::size_t>(count) == layers.size())
            text = "all " + std::to_string(count) + " layers on " + where;
        else if (count > 0)
            text += (text.empty() ? "" : ", ") + layersText(count, layers.size(), where);
        std::ptrdiff_t apart = 0;
        for (std::size_t layer = 0; layer < layers.size(); ++layer)
            apart += placement.expertsApart(layer) && placement.expertsOf(layer) == device;
        if (apart > 0)
            experts += ", experts of " + std::to_string(apart) + " on " + where;
    }
    return text + experts;
}

std::unique_ptr<Session> LoadedModel::newSession() const
{
    return std::make_unique<Session>(model(), context(), kvType());
}

std::vector<TokenId> LoadedModel::chatTokens(const std::vector<ChatMessage> &messages) const
{
    return chatPrompt(messages, {}).tokens;
}

ChatPrompt LoadedModel::chatPrompt(const std::vector<ChatMessage> &messages,
                                   const ThinkingChoice &choice) const
{
    const Parts &p = *m_parts;
    const Tokenizer &words = tokenizer();
    const ToolText written =
        writeToolChat(p.format(), p.replyFormat, p.thinkingSwitches, {messages, {}, choice},
                      words.bosText(), words.eosText());
    return encodedPrompt(words, p.replyFormat, written.text);
}

std::shared_ptr<const constrain::TokenGrammar>
LoadedModel::constrained(const constrain::Grammar &grammar) const
{
    std::call_once(m_parts->vocabularyOnce, [&] {
        m_parts->vocabulary = std::make_shared<const constrain::VocabularyTrie>(tokenizer());
    });
    return std::make_shared<const constrain::TokenGrammar>(grammar, m_parts->vocabulary);
}

const ReplyFormat &LoadedModel::replyFormat() const
{
    return m_parts->replyFormat;
}

const ThinkingSwitches &LoadedModel::thinkingSwitches() const
{
    return m_parts->thinkingSwitches;
}

Engine::Engine(EngineOptions options)
    : m_options(std::move(options))
    , m_speeds(speedsIn(m_options.cacheFolder))
{
    installMappedFileGuard();
    keepMemoryReserve();
}

Engine::~Engine() = default;

const std::vector<DeviceReport> &Engine::devices()
{
    if (!m_devices.empty())
        return m_devices;
    std::vector<DeviceReport> found;
    if (m_options.probe) {
        found = m_options.probe();
    } else {
        found.push_back(probeCpu());
        std::ranges::move(probeVulkan(), std::back_inserter(found));
    }
    tellApart(found);
    m_devices = std::move(found);
    return m_devices;
}

void Engine::markFailed(const std::string &deviceId, const std::string &reason)
{
    for (DeviceReport &report : m_devices) {
        if (report.id != deviceId)
            continue;
        report.available = false;
        report.reason = reason;
    }
}

std::optional<Recovery> Engine::recover(const LoadedModel &model, const Error &error)
{
    const LoadedModel::Parts &p = *model.m_parts;
    const int index = cardOf(p.selection.placement, p.reports);
    if (index < 0 || error.kind() == ErrorKind::Unsupported || !devicesFault(error.kind()))
        return std::nullopt;
    const DeviceReport &card = p.reports[static_cast<std::size_t>(index)];
    Recovery recovery =
        m_failed.recover(card, bytesOn(index, p.selection.placement, p.plan, p.reports), error);
    if (m_failed.givenUp(card.id))
        markFailed(card.id, "the device failed during a reply and is not used again until the "
                            "program is started anew: " +
                                recovery.problem);
    return recovery;
}

void Engine::keepDevices(const LoadedModel &model)
{
    m_kept.clear();
    for (const auto &device : model.model().devices())
        if (device && device->report().kind != BackendKind::Cpu)
            m_kept.push_back(device);
}

Engine::Opened Engine::open(const std::filesystem::path &path, LoadOptions options,
                            const LoadProgress &progress, std::stop_token stop)
{
    for (;;) {
        Opened opened;
        opened.model = load(path, options, progress, stop);
        try {
            if (!opened.model->summary().encoder)
                opened.session = opened.model->newSession();
            return opened;
        } catch (const Error &error) {
            const bool choosable = options.backend == BackendKind::Auto || options.recovery;
            const auto recovery =
                choosable ? recover(*opened.model, error) : std::optional<Recovery>();
            if (!recovery)
                throw;
            options.recovery = recovery;
        }
    }
}

void Engine::wentThrough(const LoadedModel &model)
{
    const LoadedModel::Parts &p = *model.m_parts;
    if (const int index = cardOf(p.selection.placement, p.reports); index >= 0)
        m_failed.wentThrough(p.reports[static_cast<std::size_t>(index)].id);
}

std::shared_ptr<const LoadedModel> Engine::load(const std::filesystem::path &path,
                                                const LoadOptions &options,
                                                const LoadProgress &progress, std::stop_token stop)
{
    const auto step = [&](const char *stage, double fraction) {
        if (stop.stop_requested())
            throwCancelled();
        if (progress)
            progress(stage, fraction);
    };
    keepMemoryReserve();
    step("opening", 0);
    auto parts = std::make_unique<LoadedModel::Parts>(ModelFile::open(path));
    LoadedModel::Parts &p = *parts;
    // The vocabulary is read while the weights are on their way, or behind them where there can be
    // no other thread.
    std::future<void> text;
    if (!options.idsOnly)
        text = std::async(std::launch::async | std::launch::deferred, [&p] { p.readText(); });
    // Where a device failed, without: the model may come to lie on several.
    const bool drafts = options.draftHeads && !options.recovery;
    p.summary = describeModel(p.file, options.context, options.kvType, options.quantize, drafts);
    requireUsable(p.summary, options);
    p.plan = p.summary.plan.value();

    const auto takeText = [&] {
        text.get();
        p.requireVocabulary(path);
    };
    const auto textFailed = [&] { // what is already known, so that nobody waits for it
        if (text.valid() && text.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
            takeText();
    };

    step("looking at the devices", 0.2);
    p.reports = devicesFor(options);
    measureDevices(options, stop);
    LoadAttempts attempts(requestOf(options), options.recovery ? &*options.recovery : nullptr,
                          p.reports, speedsOf(p.summary, p.reports));
    const MemoryPlan asked = p.plan;
    for (;;) {
        textFailed();
        p.selection = options.placement ? selectGiven(*options.placement, p.reports, asked)
                                        : attempts.select(asked);
        p.plan = asked;
        p.plan.setContext(p.selection.context, p.selection.kvType);
        step("opening the device", 0.22);
        try {
            const auto uploading = [&](const char *stage, double done) {
                step(stage, 0.25 + 0.75 * done);
            };
            p.upload(options, m_options, m_kept, uploading, stop);
            m_kept.clear(); // the model has them now
            break;
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                p.file.requireUnchanged(); // what damaged weights cause is no device's fault
            if (lostMeanwhile(error, m_kept))
                continue;
            if (options.placement || !attempts.narrow(p.selection, p.plan, error))
                throw;
        }
    }
    step("reading the vocabulary", 1);
    if (text.valid())
        takeText();
    p.cacheKey = p.keyOfCache();
    p.file.requireUnchanged();
    step("giving the file's pages back", 1);
    p.dropUnusedPages();

    auto loaded = std::make_shared<LoadedModel>();
    loaded->m_parts = std::move(parts);
    step("ready", 1);
    return loaded;
}

} // namespace fireside
