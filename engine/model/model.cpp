#include "engine/model/model.h"

#include "engine/backend/hand_over.h"
#include "engine/backend/op.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <string>

namespace fireside {

Model::Model(const ModelFile &file, std::vector<std::shared_ptr<Device>> devices,
             Placement placement, std::int64_t maxRows, DType kvType,
             const std::function<void(const char *, double)> &progress, std::stop_token stop,
             const LoadQuantizing &quantizing, bool drafts)
    : m_file(file)
    , m_devices(std::move(devices))
    , m_placement(std::move(placement))
    , m_maxRows(maxRows)
    , m_kvType(kvType)
{
    m_network = makeNetwork(file, drafts);
    const Config &c = config();
    if (m_placement.layers.size() != static_cast<std::size_t>(c.layers))
        throw Error(ErrorKind::Internal, "the placement names " +
                                             std::to_string(m_placement.layers.size()) + " of " +
                                             std::to_string(c.layers) + " layers");
    if (!m_placement.experts.empty() && m_placement.experts.size() != m_placement.layers.size())
        throwInternal("the placement names the experts of " +
                      std::to_string(m_placement.experts.size()) + " of " +
                      std::to_string(c.layers) + " layers");
    requireCachesNear(c);

    m_table = std::make_unique<WeightTable>(file, c);
    if (quantizing.types != nullptr)
        m_table->quantizeTo(*quantizing.types, quantizing.threads, stop);
    const WeightTable &table = *m_table;
    const auto device = [&](int index) -> Device & {
        return *m_devices.at(static_cast<std::size_t>(index));
    };
    const auto step = [&](const char *stage, std::int64_t done) {
        if (stop.stop_requested())
            throwCancelled();
        if (progress)
            progress(stage, static_cast<double>(done) / static_cast<double>(c.layers + 2));
    };
    // Where weights are copied to, only their memory is taken here; they come in the background.
    // Those that are made here are waited for, so that few of them lie in memory twice.
    const char *const taking = quantizing.types ? "quantising weights" : "making room for weights";
    const auto reads = [](const Device &on) { return on.report().kind == BackendKind::Cpu; };
    const auto loadPart = [&](std::int64_t done, const LayerDevices &on, const auto &load) {
        step(taking, done);
        const std::size_t pieces = table.pieces();
        load();
        if (quantizing.types == nullptr || reads(on.own) || reads(on.experts))
            return;
        on.own.finishWeights(stop);
        on.experts.finishWeights(stop);
        table.forget(pieces);
    };
    Device &first = device(m_placement.embedding), &last = device(m_placement.output);
    loadPart(0, first, [&] { m_network->loadEmbedding(table, first); });
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const LayerDevices on(layerDevice(i), expertDevice(i));
        loadPart(i + 1, on, [&] { m_network->loadLayer(table, on, i); });
    }
    loadPart(c.layers + 1, last, [&] { m_network->loadOutput(table, last); });
    for (std::int64_t i = 0; i < c.drafts; ++i)
        loadPart(c.layers + 1, last, [&] { m_network->loadDraft(table, last, i); });
    step("preparing", c.layers + 1);
    m_stages = planStages();
    makeCommands();
    if (c.drafts > 0 && (m_stages.size() > 1 || !m_helpers.empty()))
        throwUnsupported(printable(m_file.path().string()) +
                         ": not supported: heads for drafting of a model on several devices");
    prepare(); // while the weights are still on their way
    step("loading weights", c.layers + 1);
    for (const auto &each : m_devices)
        if (each)
            each->finishWeights(stop);
    // What was made of a folder's tensors is only read where they were not copied to a card.
    if (!usesFile())
        m_table.reset();
}

Model::~Model() = default;

namespace {

/// Names the ops of a pass: they differ by what is wanted at the end.
std::uint64_t recordingOf(const Model::Output &output)
{
    const auto flag = [](bool set, unsigned bit) { return std::uint64_t{set} << bit; };
    return 1 | flag(output.longContext, 61) | flag(!output.rows.empty(), 1) |
           flag(!output.greedy.empty(), 2) | flag(!output.logits.empty(), 3) |
           flag(output.next != nullptr, 4) | flag(!output.hidden.empty(), 5) |
           flag(!output.pooled.empty(), 6) | flag(!output.scores.empty(), 7) |
           static_cast<std::uint64_t>(output.pooling) << 62 |
           static_cast<std::uint64_t>(output.topK()) << 8;
}

void readOutput(Commands &c, const Model::Output &output)
{
    if (!output.greedy.empty())
        c.read(c.kept(kGreedy), output.greedy);
    if (!output.topIds.empty()) {
        c.read(c.kept(kTopLogits), output.topLogits);
        c.read(c.kept(kTopIds), output.topIds);
    }
    if (!output.logits.empty())
        c.read(c.kept(kLogits), output.logits);
    if (!output.hidden.empty())
        c.read(c.kept(kHidden), output.hidden);
    if (!output.pooled.empty())
        c.read(c.kept(kPooled), output.pooled);
    if (!output.scores.empty())
        c.read(c.kept(kScores), output.scores);
}

} // namespace

void Model::guarded(FunctionRef<void()> pass) const
{
    const std::lock_guard lock(m_pass);
    try {
        pass();
    } catch (const Error &error) {
        // Trouble with damaged weights is told as what it comes from.
        if (error.kind() != ErrorKind::Cancelled)
            m_file.requireUnchanged();
        throw;
    }
    m_file.requireUnchanged();
}

void Model::requireUnchangedFile() const
{
    m_file.requireUnchanged();
}

void Model::run(const Batch &batch, const Output &wanted, std::stop_token stop) const
{
    guarded([&] {
        m_network->setLongContext(wanted.longContext);
        compute(batch, wanted, stop);
    });
}

void Model::draft(std::int64_t head, const Batch &batch, std::span<const float> hidden,
                  const Output &output, std::stop_token stop) const
{
    if (head < 0 || head >= config().drafts ||
        batch.ids.size() > static_cast<std::size_t>(m_maxRows) ||
        hidden.size() != batch.ids.size() * static_cast<std::size_t>(config().hidden))
        throwInternal("draft head " + std::to_string(head) + " of " +
                      std::to_string(config().drafts) + " with " +
                      std::to_string(batch.ids.size()) + " rows");
    Batch pass = batch;
    pass.outputRows = output.rows;
    guarded([&] {
        m_network->setLongContext(output.longContext);
        Commands &c = *m_stages.back().commands;
        c.begin(pass, {.stop = stop});
        recordDraft(*m_network, c, head, hidden, output);
        c.sync();
        readOutput(c, output);
        requireFinite(output,
                      [&] { return ", in head " + std::to_string(head) + " for drafting"; });
    });
}

/// Whether the pass can end with op::Advance: one row and one output for each item, and results to
/// choose from.
bool Model::canAdvance(const Batch &batch, const Output &output) const
{
    const std::size_t rows = batch.ids.size();
    return output.next != nullptr && rows <= kMaxAheadRows && choosesForEach(batch, output) &&
           output.topK() != 1 && output.topK() <= kMaxAheadK &&
           output.topIds.size() <= kMaxAheadCandidates;
}

/// Whether a pass on one device has one row for each item, and for each of them is chosen.
bool Model::choosesForEach(const Batch &batch, const Output &output) const
{
    const std::size_t rows = batch.ids.size();
    if (m_stages.size() != 1 || !m_helpers.empty() || rows == 0 || batch.items.size() != rows ||
        output.rows.size() != rows || !output.logits.empty() || output.embeds() ||
        output.greedy.empty() == output.topIds.empty())
        return false;
    for (std::size_t i = 0; i < rows; ++i)
        if (batch.items[i].rows != 1 || batch.items[i].cache.empty() ||
            output.rows[i] != static_cast<std::int32_t>(i))
            return false;
    return true;
}

void Model::requirePlanned(const Batch &batch, const Output &output) const
{
    const auto rows = static_cast<std::int64_t>(batch.ids.size());
    const auto rowsWanted = static_cast<std::int64_t>(output.rows.size());
    if (rows > m_maxRows || rowsWanted > kMaxOutputRows)
        throw Error(ErrorKind::Internal, "a pass of " + std::to_string(rows) + " rows with " +
                                             std::to_string(rowsWanted) +
                                             " outputs is over the plan");
}

void Model::runStage(const Stage &stage, const Batch &pass, const Output &output,
                     const std::stop_token &stop, std::vector<float> &stream) const
{
    const auto rows = static_cast<std::int64_t>(pass.ids.size());
    Commands &c = *stage.commands;
    if (!stage.embeds)
        handOverOf(c).bring(stream);
    if (c.begin(pass, {.recording = recordingOf(output),
                       .next = output.next,
                       .maxAhead = output.maxAhead,
                       .goesOn = output.goesOn,
                       .stop = stop,
                       .attentionType = m_kvType}) == Commands::Begin::Record)
        recordPart(*m_network, c, stage, rows, output,
                   static_cast<std::int64_t>(pass.items.size()));
    c.sync();
    if (!stage.outputs) {
        stream.resize(static_cast<std::size_t>(rows * config().streamWidth()));
        c.read(c.kept(kResidual), std::span<float>(stream));
    } else if (!output.wantsNothing()) {
        readOutput(c, output);
    }
}

/// With rows that are nobody's behind it, where such a pass is more alike to others.
std::optional<PaddedPass> Model::padded(const Batch &batch, const Output &wanted) const
{
    const auto rows = static_cast<std::int64_t>(batch.ids.size());
    if (!choosesForEach(batch, wanted))
        return std::nullopt;
    const std::int64_t alike = m_stages.front().commands->alikeRows(rows);
    const std::span<const KvLayer> chat = batch.items.front().cache;
    const auto hasState = [](const KvLayer &layer) { return layer.state != nullptr; };
    // States would grow without end.
    if (alike <= rows || alike > std::min(m_maxRows, kMaxOutputRows) ||
        std::any_of(chat.begin(), chat.end(), hasState))
        return std::nullopt;
    try {
        const Stage &stage = m_stages.front();
        const auto cache = m_padding.like(chat, *stage.device, *stage.commands);
        return std::optional<PaddedPass>(std::in_place, batch, wanted, alike, cache);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Memory)
            throw;
        return std::nullopt; // it works without
    }
}

void Model::compute(const Batch &batch, const Output &wanted, const std::stop_token &stop) const
{
    if (const std::optional<PaddedPass> more = padded(batch, wanted)) {
        computeExactly(more->batch(), more->output(), stop);
        more->giveBack();
    } else {
        computeExactly(batch, wanted, stop);
    }
    requireFinite(wanted, [&] { return firstNotFinite(batch, stop); });
}

void Model::computeExactly(const Batch &batch, const Output &wanted,
                           const std::stop_token &stop) const
{
    Output output = wanted;
    if (!canAdvance(batch, wanted))
        output.next = nullptr;
    requirePlanned(batch, output);
    Batch pass = batch;
    pass.outputRows = output.rows;
    beginHelpers(pass, stop);
    for (const Stage &stage : m_stages)
        runStage(stage, pass, output, stop, m_carried);
}

void Model::settle() const
{
    const std::lock_guard lock(m_pass);
    for (const Stage &stage : m_stages)
        stage.commands->settle();
}

std::int64_t Model::passesAhead() const
{
    const std::lock_guard lock(m_pass);
    std::int64_t sum = 0;
    for (const Stage &stage : m_stages)
        sum += stage.commands->ahead();
    return sum;
}

std::uint64_t Model::memoryInUse() const
{
    std::uint64_t sum = 0;
    for (const auto &device : m_devices)
        if (device)
            sum += device->memoryNow().use.total();
    return sum;
}

std::vector<OpTime> Model::takeOpTimes() const
{
    const std::lock_guard lock(m_pass);
    std::vector<OpTime> sum;
    const auto add = [&sum](Commands &commands) {
        for (const OpTime &time : commands.takeOpTimes()) {
            const auto same = [&](const OpTime &t) { return std::string_view(t.op) == time.op; };
            if (const auto it = std::find_if(sum.begin(), sum.end(), same); it != sum.end()) {
                it->calls += time.calls;
                it->seconds += time.seconds;
                it->dispatches += time.dispatches;
            } else {
                sum.push_back(time);
            }
        }
    };
    for (const Stage &stage : m_stages)
        add(*stage.commands);
    for (const Helper &helper : m_helpers)
        add(*helper.commands);
    return sum;
}

} // namespace fireside
