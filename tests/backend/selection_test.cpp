#include "engine/backend/selection.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

DeviceReport cpu(std::optional<std::uint64_t> ram = 32 * kGb)
{
    DeviceReport report;
    report.kind = BackendKind::Cpu;
    report.id = "cpu";
    report.name = "Test CPU";
    report.available = true;
    report.memoryTotal = ram;
    report.memoryFree = ram;
    return report;
}

DeviceReport gpu(std::string name, std::optional<std::uint64_t> memory)
{
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.name = std::move(name);
    report.available = true;
    report.memoryTotal = memory;
    report.memoryFree = memory;
    return report;
}

DeviceReport unavailable(std::string name, std::string reason)
{
    DeviceReport report = gpu(std::move(name), std::nullopt);
    report.available = false;
    report.reason = std::move(reason);
    return report;
}

DeviceReport software(DeviceReport report)
{
    report.software = true;
    return report;
}

DeviceReport unified(DeviceReport report)
{
    report.unifiedMemory = true;
    return report;
}

DeviceReport withoutBudget(DeviceReport report)
{
    report.memoryFree.reset();
    return report;
}

/// 4 layers; 10 GB in all, of which 2 GB are allocated on a CPU.
MemoryPlan tenGb()
{
    MemoryPlan plan;
    plan.layerWeights.assign(4, 7 * kGb / 4);
    plan.layerCaches.assign(4, kGb / 4);
    plan.scratch = kGb;
    plan.reserve = kGb;
    plan.context = 8192;
    return plan;
}

struct Row
{
    const char *name;
    BackendKind asked;
    std::vector<DeviceReport> devices;
    int device;
    std::vector<std::string> mentions;
};

TEST(Select, Table)
{
    const auto Auto = BackendKind::Auto, Cpu = BackendKind::Cpu, Vulkan = BackendKind::Vulkan;
    const std::vector<Row> rows{
        {"fits the GPU",
         Auto,
         {cpu(), gpu("Big", 12 * kGb)},
         1,
         {"Big", "needs 9.0 GB and 1.0 GB for the program", "12 GB", "--backend cpu"}},
        {"exactly", Auto, {cpu(), gpu("Big", 10 * kGb)}, 1, {"Big"}},
        {"unknown size is allowed",
         Auto,
         {cpu(), gpu("Vague", std::nullopt)},
         1,
         {"Vague", "unknown"}},
        {"no budget, but too small a heap",
         Auto,
         {cpu(), withoutBudget(gpu("Small", 3 * kGb))},
         0,
         {"needs 9.0 GB and 1.0 GB for the program", "3.0 GB of memory on Small"}},
        {"too big",
         Auto,
         {cpu(), gpu("Small", 3 * kGb)},
         0,
         {"CPU", "needs 9.0 GB and 1.0 GB for the program", "only 3.0 GB of memory on Small",
          "32 GB of RAM is free", "--backend vulkan"}},
        {"the larger one", Auto, {gpu("A", 11 * kGb), cpu(), gpu("B", 12 * kGb)}, 2, {"B"}},
        {"the first of equals", Auto, {cpu(), gpu("A", 12 * kGb), gpu("B", 12 * kGb)}, 1, {"A"}},
        {"own memory first",
         Auto,
         {cpu(), unified(gpu("Shared", 30 * kGb)), gpu("Own", 12 * kGb)},
         2,
         {"Own"}},
        {"shared memory if it fits",
         Auto,
         {cpu(), unified(gpu("Shared", 30 * kGb)), gpu("Own", 4 * kGb)},
         1,
         {"Shared"}},
        {"not software",
         Auto,
         {cpu(), software(gpu("llvmpipe", 30 * kGb))},
         0,
         {"llvmpipe is a software device", "slower", "--backend vulkan"}},
        {"hardware beside software",
         Auto,
         {cpu(), software(gpu("llvmpipe", 30 * kGb)), gpu("Real", 11 * kGb)},
         2,
         {"Real"}},
        {"the reason of the ladder",
         Auto,
         {unavailable("", "no driver was found"), cpu()},
         1,
         {"Running on the CPU because no driver was found (needs 9.0 GB and 1.0 GB for the "
          "program"}},
        {"a working device's reason first",
         Auto,
         {cpu(), unavailable("Old", "lacks x"), gpu("Small", kGb)},
         0,
         {"Small", "--backend vulkan"}},
        {"no report at all", Auto, {cpu()}, 0, {"no Vulkan device"}},
        {"unknown RAM is allowed", Auto, {cpu(std::nullopt)}, 0, {"unknown"}},
        {"CPU chosen",
         Cpu,
         {cpu(), gpu("Big", 12 * kGb)},
         0,
         {"as chosen", "needs 9.0 GB and 1.0 GB for the program", "32 GB", "Automatic"}},
        {"Vulkan chosen", Vulkan, {cpu(), gpu("Big", 12 * kGb)}, 1, {"Big", "as chosen"}},
        {"Vulkan chosen skips the fit",
         Vulkan,
         {cpu(), gpu("Small", kGb)},
         1,
         {"Small", "only 1.0 GB"}},
        {"Vulkan chosen takes software",
         Vulkan,
         {cpu(), software(gpu("llvmpipe", 30 * kGb))},
         1,
         {"software", "slower"}},
        {"Vulkan chosen, no budget",
         Vulkan,
         {cpu(), software(withoutBudget(gpu("llvmpipe", 30 * kGb)))},
         1,
         {"(a software device", "needs 9.0 GB and 1.0 GB for the program of the device's 30 GB"}},
        {"Vulkan chosen prefers hardware",
         Vulkan,
         {software(gpu("llvmpipe", 30 * kGb)), cpu(), gpu("Real", kGb)},
         2,
         {"Real"}},
        {"Vulkan chosen passes broken ones",
         Vulkan,
         {cpu(), unavailable("Old", "lacks x"), gpu("Good", 12 * kGb)},
         2,
         {"Good"}},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        const Selection selection = select(row.asked, row.devices, tenGb());
        EXPECT_EQ(selection.device, row.device) << selection.reason;
        EXPECT_EQ(selection.kind, row.devices[static_cast<std::size_t>(row.device)].kind);
        EXPECT_EQ(selection.placement.embedding, row.device);
        EXPECT_EQ(selection.placement.layers, std::vector<int>(4, row.device));
        EXPECT_EQ(selection.placement.output, row.device);
        for (const std::string &mention : row.mentions)
            EXPECT_NE(selection.reason.find(mention), std::string::npos)
                << mention << " in: " << selection.reason;
    }
}

struct Split
{
    const char *name;
    std::vector<DeviceReport> devices;
    int embedding;
    std::vector<int> layers;
    int output, device;
    std::vector<std::string> mentions;
};

TEST(Select, SplitsByLayers)
{
    // tenGb(): each of 4 layers takes 2 GB, scratch and reserve 1 GB each.
    const std::vector<Split> rows{
        {"one byte short",
         {cpu(), gpu("Small", 10 * kGb - 1)},
         0,
         {1, 1, 1, 0},
         0,
         1,
         {"3 on Small and 1 on the CPU of 4 layers", "needs 9.0 GB and 1.0 GB for the program",
          "--backend cpu"}},
        {"a quarter", {cpu(), gpu("Small", 4 * kGb)}, 0, {1, 0, 0, 0}, 0, 0, {"1 on Small and 3"}},
        {"two cards",
         {cpu(), gpu("A", 6 * kGb), gpu("B", 6 * kGb)},
         1,
         {1, 1, 2, 2},
         2,
         1,
         {"2 on A, 2 on B of 4 layers"}},
        {"two cards and the CPU",
         {gpu("A", 4 * kGb), cpu(), gpu("B", 6 * kGb)},
         1,
         {2, 2, 0, 1},
         1,
         2,
         {"2 on B, 1 on A and 1 on the CPU"}},
        {"not shared memory, not software, not what does not work",
         {cpu(), unified(gpu("Shared", 5 * kGb)), software(gpu("llvmpipe", 30 * kGb)),
          unavailable("Old", "lacks x"), gpu("Own", 8 * kGb)},
         0,
         {4, 4, 4, 0},
         0,
         4,
         {"3 on Own"}},
    };
    for (const Split &row : rows) {
        SCOPED_TRACE(row.name);
        const Selection selection = select(BackendKind::Auto, row.devices, tenGb());
        EXPECT_EQ(selection.placement.embedding, row.embedding);
        EXPECT_EQ(selection.placement.layers, row.layers) << selection.reason;
        EXPECT_EQ(selection.placement.output, row.output);
        EXPECT_EQ(selection.device, row.device);
        EXPECT_EQ(selection.kind, row.devices[static_cast<std::size_t>(row.device)].kind);
        for (const std::string &mention : row.mentions)
            EXPECT_NE(selection.reason.find(mention), std::string::npos)
                << mention << " in: " << selection.reason;
    }
}

TEST(Select, ASplitCountsEmbeddingAndOutput)
{
    MemoryPlan plan = tenGb(); // layers of 2 GB, scratch and reserve 1 GB each
    plan.embeddingWeights = kGb;
    plan.outputWeights = kGb / 2;
    plan.tiedWeights = kGb;
    const auto layersOf = [&](std::vector<std::uint64_t> cards) {
        std::vector<DeviceReport> devices{cpu()};
        for (const std::uint64_t memory : cards)
            devices.push_back(gpu("Card", memory));
        return select(BackendKind::Auto, devices, plan).placement;
    };
    // The first card has the embedding too, the last one the output, which may be the embedding.
    const std::uint64_t first = 7 * kGb, last = 6 * kGb + kGb * 3 / 2;
    Placement placed = layersOf({first + kGb, last});
    EXPECT_EQ(placed.layers, (std::vector<int>{1, 1, 2, 2}));
    EXPECT_EQ(placed.embedding, 1);
    EXPECT_EQ(placed.output, 2);
    placed = layersOf({first + kGb, last - 1});
    EXPECT_EQ(placed.layers, (std::vector<int>{1, 1, 2, 2}));
    EXPECT_EQ(placed.output, 0) << "no room for the output";
    EXPECT_EQ(placed.embedding, 0);
    EXPECT_EQ(layersOf({first}).layers, (std::vector<int>{1, 1, 0, 0}));
    EXPECT_EQ(layersOf({first - 1}).layers, (std::vector<int>{1, 0, 0, 0}));
}

TEST(Select, LayersThatReadEachOthersCachesStayTogether)
{
    MemoryPlan plan = tenGb(); // layers of 2 GB, scratch and reserve 1 GB each
    plan.together = 2;
    const auto layersOf = [&](std::uint64_t first, std::uint64_t second) {
        const std::vector<DeviceReport> devices{cpu(), gpu("Card", first), gpu("Card", second)};
        return select(BackendKind::Auto, devices, plan).placement.layers;
    };
    EXPECT_EQ(layersOf(8 * kGb, 6 * kGb), (std::vector<int>{1, 1, 2, 2}));
    EXPECT_EQ(layersOf(8 * kGb, 6 * kGb - 1), (std::vector<int>{1, 1, 0, 0}));
    plan.embeddingWeights = kGb; // lies where the embedding does
    EXPECT_EQ(layersOf(7 * kGb, 6 * kGb), (std::vector<int>{1, 1, 2, 2}));
    EXPECT_EQ(layersOf(7 * kGb - 1, 6 * kGb), (std::vector<int>{1, 2, 0, 0}));
}

TEST(Select, AFewLayersAreNotWorthASplit)
{
    MemoryPlan plan = tenGb();
    plan.layerWeights.assign(16, kGb / 4); // with their caches half a GB each
    const auto layersOn = [&](std::uint64_t memory) {
        const std::vector<DeviceReport> devices{cpu(), gpu("Card", memory)};
        const std::vector<int> layers = select(BackendKind::Auto, devices, plan).placement.layers;
        return std::count(layers.begin(), layers.end(), 1);
    };
    EXPECT_EQ(layersOn(3 * kGb), 2);
    EXPECT_EQ(layersOn(3 * kGb - 1), 0) << "one in sixteen";
}

struct Failure
{
    const char *name;
    BackendKind asked;
    std::vector<DeviceReport> devices;
    ErrorKind kind;
    std::vector<std::string> mentions;
};

TEST(Select, Refusals)
{
    const auto Auto = BackendKind::Auto, Cpu = BackendKind::Cpu, Vulkan = BackendKind::Vulkan;
    const std::vector<Failure> rows{
        {"Vulkan without loader",
         Vulkan,
         {cpu(), unavailable("", "the loader was not found")},
         ErrorKind::Device,
         {"Vulkan was chosen", "the loader was not found"}},
        {"Vulkan without feature",
         Vulkan,
         {cpu(), unavailable("Old GPU", "lacks 16-bit storage")},
         ErrorKind::Device,
         {"Old GPU", "lacks 16-bit storage"}},
        {"Vulkan without report", Vulkan, {cpu()}, ErrorKind::Device, {"no Vulkan device"}},
        {"never a silent CPU run",
         Vulkan,
         {cpu(), software(unavailable("llvmpipe", "broken"))},
         ErrorKind::Device,
         {"broken"}},
        {"RAM too small",
         Cpu,
         {cpu(8 * kGb)},
         ErrorKind::Memory,
         {"needs 9.0 GB and 1.0 GB for the program", "only 8.0 GB of RAM"}},
        {"RAM too small in auto",
         Auto,
         {cpu(8 * kGb), gpu("Small", kGb)},
         ErrorKind::Memory,
         {"needs 9.0 GB and 1.0 GB for the program", "8.0 GB"}},
        {"shared memory is RAM",
         Auto,
         {cpu(8 * kGb), unified(gpu("Shared", 12 * kGb))},
         ErrorKind::Memory,
         {"8.0 GB"}},
        {"no CPU is our mistake", Auto, {gpu("Big", 12 * kGb)}, ErrorKind::Internal, {}},
    };
    for (const Failure &row : rows) {
        SCOPED_TRACE(row.name);
        try {
            const Selection selection = select(row.asked, row.devices, tenGb());
            ADD_FAILURE() << selection.reason;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), row.kind) << error.what();
            for (const std::string &mention : row.mentions)
                EXPECT_NE(std::string(error.what()).find(mention), std::string::npos)
                    << mention << " in: " << error.what();
        }
    }
}

} // namespace
} // namespace fireside
