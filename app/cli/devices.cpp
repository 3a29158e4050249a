#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/report_json.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

const char *word(DeviceCheck::Outcome outcome)
{
    switch (outcome) {
    case DeviceCheck::Outcome::Passed:
        return "passed";
    case DeviceCheck::Outcome::Failed:
        return "failed";
    case DeviceCheck::Outcome::NotReached:
        return "not reached";
    }
    return "";
}

void printReport(const DeviceReport &r)
{
    std::printf("%s  %s  [%s]\n    %s\n", r.id.c_str(), r.name.c_str(),
                r.available ? "available" : "not available", r.reason.c_str());
    if (r.memoryTotal)
        std::printf("    memory: %s%s\n", formatBytes(*r.memoryTotal).c_str(),
                    r.memoryFree ? (", " + formatBytes(*r.memoryFree) + " free").c_str() : "");
    for (const DeviceCheck &c : r.checks) {
        std::printf("    %-11s %s%s%s\n", word(c.outcome), c.name.c_str(),
                    c.detail.empty() ? "" : ": ", c.detail.c_str());
        if (!c.rawError.empty())
            std::printf("                %s\n", c.rawError.c_str());
        if (!c.advice.empty() && c.outcome == DeviceCheck::Outcome::Failed)
            std::printf("                → %s\n", c.advice.c_str());
    }
    for (const auto &[key, value] : r.properties)
        std::printf("    %s: %s\n", key.c_str(), value.c_str());
    std::printf("\n");
}

void devices(bool json)
{
    Engine engine(engineOptions());
    if (json) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const DeviceReport &r : engine.devices())
            all.push_back(toJson(r));
        std::printf("%s\n", all.dump(2).c_str());
        return;
    }
    for (const DeviceReport &r : engine.devices())
        printReport(r);
}

} // namespace

void addDevices(CLI::App &app)
{
    const auto json = std::make_shared<bool>(false);
    CLI::App *command =
        app.add_subcommand("devices", "List what can run a model, and what cannot and why");
    command->add_flag("--json", *json, "As JSON");
    command->callback([json] { devices(*json); });
}

} // namespace fireside::cli
