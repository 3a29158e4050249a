#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"

#include <cstdio>
#include <memory>
#include <numeric>

namespace fireside::cli {
namespace {

struct MemoryOptions
{
    ModelOptions model;
    bool json = false;
};

double percentOff(std::uint64_t planned, std::uint64_t taken)
{
    return planned == 0 ? 0 : 100 * (static_cast<double>(taken) / static_cast<double>(planned) - 1);
}

nlohmann::ordered_json toJson(const LoadedModel::DeviceUse &use)
{
    nlohmann::ordered_json j{{"id", use.report.id}, {"name", use.report.name}};
    for (const MemoryPurpose purpose : kMemoryPurposes)
        j[std::string(toString(purpose))] = {{"predicted", use.planned.at(purpose)},
                                             {"taken", use.now.use.at(purpose)}};
    j["total"] = {{"predicted", use.planned.total()}, {"taken", use.now.use.total()}};
    j["driver"] = use.now.driver ? nlohmann::ordered_json(*use.now.driver) : nullptr;
    j["free"] = use.now.free ? nlohmann::ordered_json(*use.now.free) : nullptr;
    return j;
}

void printRow(const char *name, std::uint64_t planned, std::uint64_t taken)
{
    std::printf("    %-10s %10s %10s %+8.1f %%\n", name, formatBytes(planned).c_str(),
                formatBytes(taken).c_str(), percentOff(planned, taken));
}

void print(const LoadedModel::DeviceUse &use)
{
    std::printf("%s  %s\n    %-10s %10s %10s\n", use.report.id.c_str(), use.report.name.c_str(), "",
                "predicted", "taken");
    for (const MemoryPurpose purpose : kMemoryPurposes)
        printRow(std::string(toString(purpose)).c_str(), use.planned.at(purpose),
                 use.now.use.at(purpose));
    printRow("total", use.planned.total(), use.now.use.total());
    if (use.now.driver)
        std::printf("    the driver counts %s for this program\n",
                    formatBytes(*use.now.driver).c_str());
    if (use.now.free)
        std::printf("    %s free\n", formatBytes(*use.now.free).c_str());
}

/// All that a long chat takes: room for the whole context, what a chunk of a prompt needs, and as
/// many copies of recurrent states as there may be.
void fill(Session &session)
{
    const auto rows = std::min<std::size_t>(static_cast<std::size_t>(session.model().maxRows()),
                                            static_cast<std::size_t>(session.capacity()));
    const auto vocabulary = static_cast<std::size_t>(session.model().config().vocabulary);
    std::vector<TokenId> ids(rows);
    for (std::size_t i = 0; i < rows; ++i)
        ids[i] = static_cast<TokenId>(i * 7919 % vocabulary);
    session.appendGreedy(ids, {}, interruptToken());
    session.reserve(static_cast<std::size_t>(session.capacity()));
    if (!session.needsStates())
        return;
    session.truncate(0);
    constexpr std::size_t kMessage = 2; // tokens after which a copy is made
    const std::size_t copies =
        static_cast<std::size_t>(session.model().config().stateCheckpoints());
    const std::vector<TokenId> message(kMessage, 1);
    while (session.tokens().size() + kMessage <=
           std::min((copies + 1) * kMessage, static_cast<std::size_t>(session.capacity())))
        session.appendGreedy(message, {}, interruptToken());
}

void memory(const MemoryOptions &o)
{
    Engine engine(engineOptions());
    const std::optional<std::uint64_t> before = currentResidentBytes();
    LoadOptions options = o.model.loadOptions();
    options.idsOnly = true;
    const Engine::Opened opened = engine.open(o.model.path, options, {}, interruptToken());
    fill(*opened.session);
    const std::optional<std::uint64_t> after = currentResidentBytes();
    const std::vector<LoadedModel::DeviceUse> uses = opened.model->memory();
    if (o.json) {
        nlohmann::ordered_json j{{"placement", opened.model->placementText()},
                                 {"context", opened.model->context()},
                                 {"devices", nlohmann::ordered_json::array()}};
        for (const LoadedModel::DeviceUse &use : uses)
            j["devices"].push_back(toJson(use));
        if (before && after)
            j["resident"] = {{"before", *before}, {"after", *after}};
        std::printf("%s\n", j.dump(2).c_str());
        return;
    }
    std::printf("%s, a context of %d tokens in %s\n", opened.model->placementText().c_str(),
                opened.model->context(), name(opened.model->kvType()));
    for (const LoadedModel::DeviceUse &use : uses)
        print(use);
    if (before && after)
        std::printf("the program: %s resident before loading, %s now\n",
                    formatBytes(*before).c_str(), formatBytes(*after).c_str());
}

} // namespace

void addMemory(CLI::App &app)
{
    const auto o = std::make_shared<MemoryOptions>();
    CLI::App *command = app.add_subcommand(
        "memory",
        "Load a model, fill its context, and compare the memory taken with the prediction");
    o->model.addTo(*command);
    command->add_flag("--json", o->json, "As JSON, in bytes");
    command->callback([o] { memory(*o); });
}

} // namespace fireside::cli
