#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/measure_model.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

struct MeasureOptions
{
    ModelOptions model;
    bool json = false;
};

nlohmann::ordered_json speedJson(const std::optional<Speed> &speed)
{
    if (!speed)
        return nullptr;
    return {{"generate", speed->generate}, {"prompt", speed->prompt}};
}

nlohmann::ordered_json toJson(const PlacementMeasurement &each)
{
    return {{"placement", each.option.name},
            {"kv", name(each.option.kvType)},
            {"context", each.option.context},
            {"numbers", each.option.numbers},
            {"expected", speedJson(each.option.predicted)},
            {"measured", speedJson(each.speed)},
            {"load_seconds", each.loadSeconds},
            {"problem", each.problem}};
}

std::string cell(double rate)
{
    char text[32];
    std::snprintf(text, sizeof text, rate < 99.95 ? "%.1f" : "%.0f", rate);
    return text;
}

void print(const PlacementMeasurement &each)
{
    std::printf("%s\n", printable(each.option.name).c_str());
    if (!each.speed) {
        std::printf("    not measured: %s\n", printable(each.problem).c_str());
        return;
    }
    const auto expected = [&](double Speed::*rate) {
        return each.option.predicted ? cell((*each.option.predicted).*rate) : std::string("?");
    };
    std::printf("    %s\n    %-8s %10s %10s   tokens a second\n", each.option.numbers.c_str(), "",
                "expected", "measured");
    std::printf("    %-8s %10s %10s\n", "reply", expected(&Speed::generate).c_str(),
                cell(each.speed->generate).c_str());
    std::printf("    %-8s %10s %10s\n    loaded in %.1f s\n", "prompt",
                expected(&Speed::prompt).c_str(), cell(each.speed->prompt).c_str(),
                each.loadSeconds);
}

void measure(const MeasureOptions &o)
{
    Engine engine(engineOptions());
    const LoadOptions options = o.model.loadOptions();
    const auto next = [](const PlacementOption &option, int, int) {
        std::fprintf(stderr, "Measuring on %s…\n", printable(option.name).c_str());
    };
    const auto measured = measureModel(engine, o.model.path, options, next, interruptToken());
    const Engine::Choice choice = engine.choose(o.model.path, options, interruptToken());
    if (o.json) {
        nlohmann::ordered_json j{{"placements", nlohmann::ordered_json::array()},
                                 {"reason", choice.selection.reason}};
        for (const PlacementMeasurement &each : measured)
            j["placements"].push_back(toJson(each));
        std::printf("%s\n", j.dump(2).c_str());
        return;
    }
    for (const PlacementMeasurement &each : measured)
        print(each);
    std::printf("From now on: %s\n", printable(choice.selection.reason).c_str());
}

} // namespace

void addMeasure(CLI::App &app)
{
    const auto o = std::make_shared<MeasureOptions>();
    CLI::App *command = app.add_subcommand(
        "measure", "Run a model for some seconds wherever it fits; Automatic takes the fastest");
    o->model.addTo(*command);
    command->add_flag("--json", o->json, "As JSON");
    command->callback([o] { measure(*o); });
}

} // namespace fireside::cli
