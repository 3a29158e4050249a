#include "engine/backend/hand_over.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/measured_model.h"
#include "engine/model/model.h"

#include <algorithm>

// Which device does what part of a pass, and with which commands.
namespace fireside {

/// A layer can only read keys and values that lie on its own device.
void Model::requireCachesNear(const Config &c) const
{
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::int64_t from = c.layer(i).kvFrom;
        if (from >= 0 && &layerDevice(i) != &layerDevice(from))
            throwUnsupported(printable(m_file.path().string()) + ": not supported: layer " +
                             std::to_string(i) + " on another device than layer " +
                             std::to_string(from) + ", whose keys and values it reads");
    }
}

Device &Model::layerDevice(std::int64_t layer) const
{
    const int index = layer < config().layers
                          ? m_placement.layers.at(static_cast<std::size_t>(layer))
                          : m_placement.output; // a head for drafting
    return *m_devices.at(static_cast<std::size_t>(index));
}

Device &Model::expertDevice(std::int64_t layer) const
{
    const int index = m_placement.expertsOf(static_cast<std::size_t>(layer));
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
    for (std::int64_t i = 0; i < config().layers; ++i) {
        Stage &stage = stageOn(m_placement.layers[static_cast<std::size_t>(i)], i);
        stage.endLayer = i + 1;
        Device *const experts = &expertDevice(i);
        if (experts == stage.device)
            continue;
        if (stage.experts != nullptr && stage.experts != experts)
            throwUnsupported(printable(m_file.path().string()) +
                             ": not supported: experts of layers that follow each other on two "
                             "devices besides that of the layers");
        stage.experts = experts;
    }
    stageOn(m_placement.output, config().layers).outputs = true;
    return stages;
}

void Model::makeCommands()
{
    MeasuredModel measured(m_file, config().drafts > 0);
    const MeasuredNeeds needs = measured.needs(m_maxRows);
    const auto commandsOn = [this](Device &device, const MeasuredNeeds &need) {
        const bool cpu = device.report().kind == BackendKind::Cpu;
        return device.commands(cpu ? need.own : need.scratch, m_maxRows);
    };
    const auto helperOn = [&](Device *device) -> Commands * {
        if (device == nullptr)
            return nullptr;
        for (const Helper &helper : m_helpers)
            if (helper.device == device)
                return helper.commands.get();
        m_helpers.push_back({device, commandsOn(*device, measured.expertNeeds(m_maxRows))});
        return m_helpers.back().commands.get();
    };
    const auto stream = static_cast<std::size_t>(m_maxRows * config().streamWidth());
    for (Stage &stage : m_stages) {
        stage.commands = commandsOn(*stage.device, needs);
        if (!stage.embeds || stage.experts != nullptr)
            handOverOf(*stage.commands)
                .prepareHandOver({.brought = stage.embeds ? 0 : stream * sizeof(float),
                                  .shared = stage.experts == nullptr ? 0 : needs.shared,
                                  .helper = helperOn(stage.experts)});
    }
}

/// Who computes experts knows the batch before they are handed over.
void Model::beginHelpers(const Batch &batch, const std::stop_token &stop) const
{
    for (const Helper &helper : m_helpers)
        helper.commands->begin(batch, {.stop = stop});
}

/// Whether weights are read where the file, or the table, has them.
bool Model::usesFile() const
{
    const auto reads = [](const Device *device) {
        return device != nullptr && device->report().kind == BackendKind::Cpu;
    };
    return std::any_of(m_stages.begin(), m_stages.end(), [&](const Stage &stage) {
        return reads(stage.device) || reads(stage.experts);
    });
}

} // namespace fireside
