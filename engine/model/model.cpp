#include "engine/model/model.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/model/architectures.h"

#include <algorithm>
#include <string>

namespace fireside {

Model::Model(const Gguf &gguf, std::vector<std::shared_ptr<Device>> devices, Placement placement,
             std::int64_t maxRows, const std::function<void(double)> &progress,
             std::stop_token stop)
    : m_devices(std::move(devices))
    , m_placement(std::move(placement))
    , m_maxRows(maxRows)
{
    m_network = makeNetwork(gguf);
    const Config &c = config();
    if (m_placement.layers.size() != static_cast<std::size_t>(c.layers))
        throw Error(ErrorKind::Internal, "the placement names " +
                                             std::to_string(m_placement.layers.size()) + " of " +
                                             std::to_string(c.layers) + " layers");

    const WeightTable table(gguf);
    const auto device = [&](int index) -> Device & {
        return *m_devices.at(static_cast<std::size_t>(index));
    };
    const auto step = [&](std::int64_t done) {
        if (stop.stop_requested())
            throwCancelled();
        if (progress)
            progress(static_cast<double>(done) / static_cast<double>(c.layers + 2));
    };
    step(0);
    m_network->loadEmbedding(table, device(m_placement.embedding));
    for (std::int64_t i = 0; i < c.layers; ++i) {
        step(i + 1);
        m_network->loadLayer(table, layerDevice(i), i);
    }
    step(c.layers + 1);
    m_network->loadOutput(table, device(m_placement.output));
    m_stages = planStages();
    step(c.layers + 2);
}

Model::~Model() = default;

Device &Model::layerDevice(std::int64_t layer) const
{
    const int index = m_placement.layers.at(static_cast<std::size_t>(layer));
    return *m_devices.at(static_cast<std::size_t>(index));
}

std::vector<Model::Stage> Model::planStages() const
{
    std::vector<Stage> stages;
    const auto stageOn = [&](int index, std::int64_t firstLayer) -> Stage & {
        Device *device = m_devices.at(static_cast<std::size_t>(index)).get();
        if (stages.empty() || stages.back().device != device) {
            Stage stage;
            stage.device = device;
            stage.firstLayer = stage.endLayer = firstLayer;
            stages.push_back(std::move(stage));
        }
        return stages.back();
    };
    stageOn(m_placement.embedding, 0).embeds = true;
    for (std::int64_t i = 0; i < config().layers; ++i)
        stageOn(m_placement.layers[static_cast<std::size_t>(i)], i).endLayer = i + 1;
    stageOn(m_placement.output, config().layers).outputs = true;
    for (Stage &stage : stages)
        stage.commands = stage.device->commands(scratchBytes(config(), m_maxRows), m_maxRows);
    return stages;
}

void Model::run(const Batch &batch, const Output &output, std::stop_token stop) const
{
    const std::lock_guard lock(m_pass);
    const auto rows = static_cast<std::int64_t>(batch.ids.size());
    const std::int64_t hidden = config().hidden;
    if (rows > m_maxRows || static_cast<std::int64_t>(output.rows.size()) > kMaxOutputRows)
        throw Error(ErrorKind::Internal, "a pass of " + std::to_string(rows) + " rows with " +
                                             std::to_string(output.rows.size()) +
                                             " outputs is over the plan");
    std::vector<float> carried; // the residual stream on its way to the next device
    for (const Stage &stage : m_stages) {
        Commands &c = *stage.commands;
        Batch pass = batch;
        pass.outputRows = output.rows;
        c.begin(pass, {.stop = stop});
        const Tensor x = c.scratch(rows, hidden);
        if (stage.embeds)
            m_network->embed(c, x);
        else
            c.upload(carried, x);
        for (std::int64_t i = stage.firstLayer; i < stage.endLayer; ++i)
            m_network->layer(c, i, x);
        if (stage.outputs) {
            runOutput(c, x, output);
        } else {
            c.sync();
            carried.resize(static_cast<std::size_t>(rows * hidden));
            c.read(x, std::span<float>(carried));
        }
    }
}

void Model::runOutput(Commands &c, const Tensor &x, const Output &output) const
{
    const auto wanted = static_cast<std::int64_t>(output.rows.size());
    if (wanted == 0) {
        c.sync();
        return;
    }
    const Tensor chosen = c.scratch(wanted, x.cols);
    const Tensor logits = c.scratch(wanted, config().vocabulary);
    c.gatherRows(x, c.outputRows(), chosen);
    m_network->output(c, chosen, logits);
    if (!output.greedy.empty()) {
        const Tensor ids = c.scratch(wanted, 1, DType::I32);
        c.argmax(logits, ids);
        c.sync();
        c.read(ids, output.greedy);
    } else {
        c.sync();
    }
    if (!output.logits.empty())
        c.read(logits, output.logits);
}

std::vector<OpTime> Model::takeOpTimes() const
{
    const std::lock_guard lock(m_pass);
    std::vector<OpTime> sum;
    for (const Stage &stage : m_stages) {
        for (const OpTime &time : stage.commands->takeOpTimes()) {
            const auto same = [&](const OpTime &t) { return std::string_view(t.op) == time.op; };
            if (const auto it = std::find_if(sum.begin(), sum.end(), same); it != sum.end()) {
                it->calls += time.calls;
                it->seconds += time.seconds;
            } else {
                sum.push_back(time);
            }
        }
    }
    return sum;
}

} // namespace fireside
