// Where models run: a table of computers, models and wishes, and what is chosen.
#include "engine/backend/selection.h"
#include "engine/core/error.h"
#include "tests/backend/placement_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fireside {
namespace {

constexpr double kGiga = 1e9;

std::uint64_t gigabytes(const std::string &text)
{
    // "12", "1.5", and "10-": one byte less.
    const bool less = !text.empty() && text.back() == '-';
    return static_cast<std::uint64_t>(std::stod(text) * kGiga) - (less ? 1 : 0);
}

std::vector<std::string> cut(const std::string &text, char at)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) {
        const auto first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        parts.push_back(first == std::string::npos ? "" : part.substr(first, last - first + 1));
    }
    return parts;
}

struct Computer
{
    std::vector<DeviceReport> devices;
    KnownSpeeds known;
};

/// "cpu 32 @40": 32 GB of RAM, reads 40 GB a second, multiplies 50 times as much. "A 12": a card
/// with 12 GB free; "12/16": of 16; "?": not known; "?/16": no budget. Letters behind the name: u
/// shares RAM, s software, x does not work.
Computer computerOf(const std::string &text)
{
    Computer computer;
    for (const std::string &one : cut(text, ',')) {
        std::istringstream words(one);
        std::string name, memory, rate;
        words >> name >> memory >> rate;
        DeviceReport device;
        const auto marked = [&name](char mark) {
            const bool there = name.size() > 1 && name.find(mark, 1) != std::string::npos;
            return there && name != "cpu";
        };
        device.kind = name == "cpu" ? BackendKind::Cpu : BackendKind::Vulkan;
        device.unifiedMemory = device.kind == BackendKind::Cpu || marked('u');
        device.software = marked('s');
        device.available = !marked('x');
        device.id = device.kind == BackendKind::Cpu ? name : name.substr(0, 1);
        device.name = device.kind == BackendKind::Cpu ? "Processor" : "Card " + device.id;
        if (!device.available)
            device.reason = "the driver is missing";
        const std::vector<std::string> sizes = cut(memory, '/');
        if (sizes.front() != "?")
            device.memoryFree = gigabytes(sizes.front());
        if (sizes.back() != "?")
            device.memoryTotal = gigabytes(sizes.back());
        if (!rate.empty()) {
            const double read = std::stod(rate.substr(1)) * kGiga;
            computer.known.devices.push_back(
                {device.id,
                 {.readBytes = read, .byteProducts = 50 * read, .floatProducts = 25 * read}});
        }
        computer.devices.push_back(std::move(device));
    }
    return computer;
}

/// Plans by name: layers of so many GB each read once a token, caches, scratch and reserve.
MemoryPlan planOf(const std::string &name)
{
    const auto make = [](std::size_t layers, double weights, double cache, double scratch) {
        MemoryPlan plan;
        plan.layerWeights.assign(layers, static_cast<std::uint64_t>(weights * kGiga));
        plan.scratch = plan.reserve = static_cast<std::uint64_t>(scratch * kGiga);
        for (std::size_t i = 0; i < layers; ++i)
            // 2 bytes a number: so many for each of 8192 tokens.
            plan.kept.push_back(
                {.layer = i,
                 .heads = 1,
                 .keyDim = static_cast<std::int64_t>(cache * kGiga / 2 / 8192) / 32 * 32});
        plan.setContext(8192, DType::F16);
        plan.steps.resize(layers + 2);
        for (std::size_t i = 1; i <= layers; ++i) {
            plan.steps[i].token = {.bytes = weights * kGiga, .byteProducts = weights * kGiga};
            plan.steps[i].chunk = {.bytes = weights * kGiga, .byteProducts = 256 * weights * kGiga};
        }
        plan.chunkRows = 256;
        return plan;
    };
    if (name == "ten") // 10 GB: four layers of 1.75 with caches of nearly 0.25
        return make(4, 1.75, 0.25, 1);
    if (name == "small") // 1 GB
        return make(4, 0.2, 0.02, 0.06);
    if (name == "long") // half of its 10 GB is context
        return make(4, 1, 1.25, 0.5);
    if (name == "deep") // 32 layers of 0.25 with nearly 0.0625, and 0.5
        return make(32, 0.25, 0.0625, 0.25);
    if (name == "tied") {
        MemoryPlan plan = make(4, 1.75, 0.25, 1);
        plan.embeddingWeights = plan.tiedWeights = static_cast<std::uint64_t>(kGiga);
        return plan;
    }
    if (name == "mixture") { // an eighth of the experts is read for a token
        MemoryPlan plan = make(4, 1.75, 0.25, 1);
        plan.experts.weights.assign(4, static_cast<std::uint64_t>(1.5 * kGiga));
        for (std::size_t i = 1; i <= 4; ++i) {
            MemoryPlan::PartWork &step = plan.steps[i];
            step.token = {.bytes = 0.4375 * kGiga, .byteProducts = 0.4375 * kGiga};
            step.expertToken = {.bytes = 0.1875 * kGiga, .byteProducts = 0.1875 * kGiga};
            step.expertChunk = {.bytes = 1.5 * kGiga, .byteProducts = 96 * kGiga};
            step.ops = 8;
            step.expertOps = 2;
        }
        plan.experts.handed = 1000;
        return plan;
    }
    if (name == "together") {
        MemoryPlan plan = make(4, 1.75, 0.25, 1);
        plan.together = 2;
        return plan;
    }
    ADD_FAILURE() << "no plan " << name;
    return {};
}

/// "auto", "cpu" or "vulkan", then words: "use=B:A", "limit=A:8", "reserve=A:2", "layers=3",
/// "experts=2", "fastest", "strict", "q8", "least=2048", and what was measured: "took=A:50",
/// "took=cpu:60".
PlacementRequest requestOf(const std::string &text, Computer &computer, const MemoryPlan &plan)
{
    PlacementRequest request;
    const auto wish = [&](const std::string &id) -> DeviceWish & {
        for (DeviceWish &each : request.devices)
            if (each.id == id)
                return each;
        return request.devices.emplace_back(DeviceWish{.id = id});
    };
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::string key = word.substr(0, word.find('='));
        const std::vector<std::string> values =
            word == key ? std::vector<std::string>{} : cut(word.substr(key.size() + 1), ':');
        if (key == "use")
            for (const std::string &id : values)
                wish(id);
        else if (key == "limit")
            wish(values.at(0)).limit = gigabytes(values.at(1));
        else if (key == "reserve")
            wish(values.at(0)).reserve = gigabytes(values.at(1));
        else if (key == "layers")
            request.cardLayers = std::stoi(values.at(0));
        else if (key == "experts")
            request.expertLayers = std::stoi(values.at(0));
        else if (key == "least")
            request.leastContext = std::stoi(values.at(0));
        else if (key == "fastest")
            request.fastest = true;
        else if (key == "strict")
            request.strict = true;
        else if (key == "q8")
            request.smallerCache = true;
        else if (key == "took") {
            for (std::size_t i = 0; i < computer.devices.size(); ++i) {
                if (computer.devices[i].id != values.at(0))
                    continue;
                const int device = static_cast<int>(i);
                const Placement whole{device, std::vector<int>(plan.layerWeights.size(), device),
                                      device};
                computer.known.measured.push_back({placementKey(whole, computer.devices),
                                                   plan.kvType,
                                                   {std::stod(values.at(1)), 100}});
            }
        } else {
            request.backend = parseBackendKind(word);
        }
    }
    return request;
}

/// "c c2A2 c": the devices of embedding, layers and output; "A A4 A experts A1c3": also of experts,
/// where those of some layers are elsewhere.
std::string shown(const Selection &selection, const Computer &computer)
{
    const auto letter = [&](int device) {
        return computer.devices[static_cast<std::size_t>(device)].id.substr(0, 1);
    };
    // Long runs in short: "A12".
    const auto runs = [&](const std::vector<int> &devices) {
        std::string text;
        for (std::size_t first = 0; first < devices.size();) {
            std::size_t end = first;
            while (end < devices.size() && devices[end] == devices[first])
                ++end;
            text += letter(devices[first]) + std::to_string(end - first);
            first = end;
        }
        return text;
    };
    const Placement &placement = selection.placement;
    const std::string experts = placement.experts.empty() || placement.experts == placement.layers
                                    ? ""
                                    : " experts " + runs(placement.experts);
    return letter(placement.embedding) + " " + runs(placement.layers) + " " +
           letter(placement.output) + experts;
}

void expectTableRow(const TableRow &row)
{
    MemoryPlan plan = planOf(row.plan);
    std::string text = row.computer;
    const auto put = [&text](const std::string &word, const std::string &number) {
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word))
            text.replace(at, word.size(), number);
    };
    char total[32];
    std::snprintf(total, sizeof total, "%.9f", static_cast<double>(plan.total()) / kGiga);
    put("fits", total);
    Computer computer = computerOf(text);
    const PlacementRequest request = requestOf(row.request, computer, plan);
    try {
        const Selection chosen = select(request, computer.devices, plan, computer.known);
        EXPECT_EQ(shown(chosen, computer), row.chosen) << chosen.reason;
        EXPECT_NE(chosen.reason.find(row.mentions), std::string::npos) << chosen.reason;
        ASSERT_LT(chosen.chosen, chosen.options.size());
        EXPECT_EQ(chosen.options[chosen.chosen].placement.layers, chosen.placement.layers);
        for (std::size_t i = 0; i < chosen.options.size(); ++i) {
            const std::string sentence = sentenceOf(chosen, i);
            EXPECT_GT(sentence.size(), chosen.options[i].name.size() + 2) << "no reason";
        }
    } catch (const Error &error) {
        const std::string kind = error.kind() == ErrorKind::Memory   ? "memory"
                                 : error.kind() == ErrorKind::Device ? "device"
                                                                     : "other";
        EXPECT_EQ(kind, row.chosen) << error.what();
        EXPECT_NE(std::string(error.what()).find(row.mentions), std::string::npos) << error.what();
    }
}

TEST(Placement, Table)
{
    EXPECT_GE(kTableRows.size(), 120u);
    for (const TableRow &row : kTableRows) {
        SCOPED_TRACE(row.name);
        expectTableRow(row);
    }
}

TEST(Placement, RejectedOptionsSayWhyWithNumbers)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900, B 4 @900, Cx ?");
    const Selection chosen = select({}, computer.devices, planOf("ten"), computer.known);
    std::string all;
    for (std::size_t i = 0; i < chosen.options.size(); ++i)
        all += sentenceOf(chosen, i) + '\n';
    for (const char *part :
         {"Card A: the model needs 9.0 GB and 1.0 GB for the program, only 8.0 GB of memory on "
          "Card A is free",
          "Card B: the model needs 9.0 GB and 1.0 GB for the program, only 4.0 GB",
          "Card C: the driver is missing", "3 on Card A, 1 on Card B of 4 layers: taken; about",
          "the CPU: needs 9.0 GB and 1.0 GB for the program, 32 GB of RAM is free; about 5.7 "
          "tokens a second expected, fewer "
          "than the"})
        EXPECT_NE(all.find(part), std::string::npos) << part << " in:\n" << all;
}

TEST(Placement, SentencesNameADeviceOnce)
{
    Computer computer = computerOf("cpu 32, A 8, B 12, C 12");
    computer.devices[1].software = true;
    const auto said = [&](const std::string &request) {
        const Selection chosen = select(requestOf(request, computer, planOf("ten")),
                                        computer.devices, planOf("ten"), computer.known);
        std::string all = "\n";
        for (std::size_t i = 0; i < chosen.options.size(); ++i)
            all += sentenceOf(chosen, i) + '\n';
        return all;
    };
    EXPECT_NE(said("auto").find("\nCard A is a software device"), std::string::npos)
        << said("auto");
    EXPECT_NE(said("auto use=B").find("\nCard C is not among the devices to use\n"),
              std::string::npos)
        << said("auto use=B");
    // Layers on several devices, with nothing but that to say of them.
    Selection split;
    for (const char *name :
         {"2 on A and 2 on the CPU of 4 layers", "2 on B and 2 on the CPU of 4 layers"})
        split.options.push_back({.name = name, .numbers = name});
    EXPECT_EQ(sentenceOf(split, 0), "2 on A and 2 on the CPU of 4 layers: taken");
    EXPECT_EQ(sentenceOf(split, 1), "2 on B and 2 on the CPU of 4 layers: 2 on A and 2 on the CPU "
                                    "of 4 layers comes first");
}

TEST(Placement, WhatCannotBeMetIsExplained)
{
    Computer computer = computerOf("cpu 8 @40, A 8 @900");
    PlacementRequest strict(BackendKind::Auto);
    strict.strict = true;
    EXPECT_THROW(select(strict, computer.devices, planOf("ten"), computer.known), Error);
    const Selection none = explain(strict, computer.devices, planOf("ten"), computer.known);
    EXPECT_FALSE(none.possible());
    EXPECT_NE(none.reason.find("cannot be met"), std::string::npos) << none.reason;
    ASSERT_GE(none.options.size(), 3u);
    for (std::size_t i = 0; i < none.options.size(); ++i)
        EXPECT_NE(sentenceOf(none, i).find(none.options[i].refusal), std::string::npos);
    // With Vulkan alone the CPU is possible, but not asked for.
    const Selection vulkan = explain(
        [] {
            PlacementRequest request(BackendKind::Vulkan);
            request.strict = true;
            return request;
        }(),
        computerOf("cpu 32 @40, A 8 @900").devices, planOf("ten"), computer.known);
    EXPECT_FALSE(vulkan.possible());
    EXPECT_NE(sentenceOf(vulkan, vulkan.options.size() - 1).find("not asked for"),
              std::string::npos);
    // Where something can, it is select()'s answer.
    computer = computerOf("cpu 32 @40, A 12 @900");
    const Selection some = explain({}, computer.devices, planOf("ten"), computer.known);
    EXPECT_TRUE(some.possible());
    EXPECT_EQ(some.reason, select({}, computer.devices, planOf("ten"), computer.known).reason);
}

TEST(Placement, ExpertsThatLieElsewhereSayWhyWithNumbers)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900, B 3 @900");
    const MemoryPlan plan = planOf("mixture");
    const Selection chosen = select({}, computer.devices, plan, computer.known);
    PlacementRequest asked;
    asked.expertLayers = 3;
    asked.strict = true;
    std::string all;
    for (std::size_t i = 0; i < chosen.options.size(); ++i)
        all += sentenceOf(chosen, i) + '\n';
    for (const char *part :
         {"attention on Card A, experts of 2 of 4 layers on the CPU: taken; ",
          "attention on Card B, experts of 4 of 4 layers on the CPU: the model without its experts "
          "needs 4.0 GB, only 3.0 GB of memory on Card B is free"})
        EXPECT_NE(all.find(part), std::string::npos) << part << " in:\n" << all;
    const auto options = placementOptions(asked, computer.devices, plan, computer.known);
    std::string refused;
    for (const PlacementOption &option : options)
        refused += option.name + ": " + option.refusal + '\n';
    for (const char *part :
         {"attention on Card A, experts of 2 of 4 layers on the CPU: only the experts of 2 of the "
          "3 layers that were asked for have room on Card A",
          "the CPU: the experts of 3 of 4 layers on graphics processors were asked for"})
        EXPECT_NE(refused.find(part), std::string::npos) << part << " in:\n" << refused;
}

TEST(Placement, ExpertsElsewhereCostTheirWay)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900");
    const MemoryPlan plan = planOf("mixture");
    const Placement whole{1, {1, 1, 1, 1}, 1}, apart{1, {1, 1, 1, 1}, 1, {1, 1, 0, 0}};
    for (DeviceRates &each : computer.known.devices)
        each.rates.opSeconds = each.device == "cpu" ? 1e-6 : 1e-5;
    const auto speed = predictSpeed(plan, apart, computer.devices, computer.known);
    ASSERT_TRUE(speed);
    // Two layers on the card, two of which the CPU reads the experts; three launches for the way.
    EXPECT_NEAR(1 / speed->generate,
                2 * (0.4375 / 900 + 8e-5) + 2 * (0.25 / 900 + 9e-5 + 0.1875 / 40 + 2e-6) +
                    2 * (6e-5 + 1000 / 8e9),
                1e-9);
    const double products = 256 * 1.75;
    EXPECT_NEAR(256 / speed->prompt,
                2 * (products / 45000 + 8e-5) +
                    2 * ((products - 96) / 45000 + 9e-5 + 96 / 2000.0 + 2e-6) +
                    2 * (6e-5 + 256 * 1000 / 8e9),
                1e-7);
    EXPECT_EQ(placementKey(apart, computer.devices), "A ×6; experts A ×2, cpu ×2");
    EXPECT_EQ(placementKey(whole, computer.devices), "A ×6");
    EXPECT_EQ(placementKey({1, {1, 1, 1, 1}, 1, {1, 1, 1, 1}}, computer.devices), "A ×6")
        << "the same by another name";
    computer.known.devices.erase(computer.known.devices.begin());
    EXPECT_FALSE(predictSpeed(plan, apart, computer.devices, computer.known)) << "unknown";
    EXPECT_TRUE(predictSpeed(plan, whole, computer.devices, computer.known));
}

TEST(Placement, SpeedIsThatOfPartsOneAfterAnother)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900");
    const MemoryPlan plan = planOf("ten");
    const Placement whole{1, {1, 1, 1, 1}, 1}, split{0, {1, 1, 0, 0}, 0};
    const auto fast = predictSpeed(plan, whole, computer.devices, computer.known);
    ASSERT_TRUE(fast);
    EXPECT_NEAR(fast->generate, 900 / 7.0, 1e-6);
    // A chunk's products take longer than its weights: 256 for each byte, 50 times as many a
    // second.
    EXPECT_NEAR(fast->prompt, 50 * 900 / 7.0, 1e-6);
    const auto both = predictSpeed(plan, split, computer.devices, computer.known);
    ASSERT_TRUE(both);
    EXPECT_NEAR(1 / both->generate, 3.5 / 900 + 3.5 / 40 + 2e-4, 1e-9) << "two crossings";
    computer.known.devices[1].rates.opSeconds = 1e-3;
    MemoryPlan counted = plan;
    for (MemoryPlan::PartWork &step : counted.steps)
        step.ops = 2;
    const auto launched = predictSpeed(counted, whole, computer.devices, computer.known);
    EXPECT_NEAR(1 / launched->generate, 7.0 / 900 + 6 * 2e-3, 1e-9);
    computer.known.devices.pop_back();
    EXPECT_FALSE(predictSpeed(plan, whole, computer.devices, computer.known)) << "unknown";
    EXPECT_FALSE(predictSpeed(MemoryPlan{}, whole, computer.devices, computer.known));
    EXPECT_EQ(placementKey(split, computer.devices), "cpu ×1, A ×2, cpu ×3");
}

/// Rates are measured in a moment; what models reached for longer corrects them, for each kind of
/// model by the one that is most like it.
TEST(Placement, ExpectationsFollowWhatModelsReached)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900");
    const MemoryPlan plan = planOf("ten");
    const Placement cpu{0, {0, 0, 0, 0}, 0}, card{1, {1, 1, 1, 1}, 1}, split{0, {1, 1, 0, 0}, 0};
    const auto expected = [&](const Placement &placement) {
        return *predictSpeed(plan, placement, computer.devices, computer.known);
    };
    const Speed before = expected(cpu), onCard = expected(card), parts = expected(split);
    computer.known.devices[0].reached = {
        {{before.generate * 1.1, before.prompt * 0.9},
         {before.generate * 2.2, before.prompt * 0.3}},
        {{before.generate * 30, before.prompt * 30}, {before.generate * 3, before.prompt * 3}},
        {{0, 0}, {7, 7}}};
    EXPECT_NEAR(expected(cpu).generate, before.generate * 2, 1e-6);
    EXPECT_NEAR(expected(cpu).prompt, before.prompt / 3, 1e-6);
    EXPECT_EQ(expected(card).generate, onCard.generate) << "another device";
    EXPECT_NEAR(1 / parts.generate - 1 / expected(split).generate, 3.5 / 40 / 2, 1e-9)
        << "the part that is there";
    computer.known.devices[0].reached = {{{before.generate, 1}, {before.generate * 1000, 0}}};
    EXPECT_NEAR(expected(cpu).generate, before.generate * 20, 1e-6) << "a fault";
    EXPECT_EQ(expected(cpu).prompt, before.prompt) << "not known";
}

TEST(Placement, WeightsOfFloatsAreReadAtTheirOwnRate)
{
    Computer computer = computerOf("cpu 32 @40, A 8 @900");
    MemoryPlan plan = planOf("ten");
    const Placement whole{1, {1, 1, 1, 1}, 1};
    for (MemoryPlan::PartWork &step : plan.steps)
        step.token.floatBytes = step.token.bytes / 2;
    const auto generate = [&] {
        return predictSpeed(plan, whole, computer.devices, computer.known)
            .value_or(Speed())
            .generate;
    };
    EXPECT_NEAR(generate(), 900 / 7.0, 1e-6) << "not known: as all are";
    computer.known.devices[1].rates.readFloats = 450e9;
    EXPECT_NEAR(1 / generate(), 3.5 / 900 + 3.5 / 450, 1e-9);
}

} // namespace
} // namespace fireside
