// Measures attention on a Vulkan device by the device's own clock: batches and depths of a model
// with 32 heads of 128 channels over 8 kv heads. Items of one row go in one dispatch, as in a
// model.
//
//   attention_bench [device id, as vulkan:0] [cache type, as F16]
#include "engine/backend/backend.h"
#include "engine/backend/op.h"
#include "engine/core/error.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace fireside;

constexpr std::int64_t kHeads = 32, kKvHeads = 8, kDim = 128;
constexpr int kRepeats = 8;

struct Load
{
    std::int64_t items, rows, past;
};
constexpr Load kLoads[] = {
    {32, 1, 50},   {32, 1, 120},   {32, 1, 250},   {32, 1, 300},  {16, 1, 120}, {16, 1, 300},
    {1, 1, 127},   {8, 1, 127},    {8, 1, 600},    {1, 1, 600},   {1, 1, 1500}, {1, 1, 4000},
    {1, 1, 16000}, {8, 1, 2000},   {1, 4, 4000},   {1, 64, 4000}, {1, 512, 0},  {1, 4096, 0},
    {1, 512, 512}, {1, 512, 7000}, {1, 512, 16000}};

void measure(Device &device, DType type, const Load &load)
{
    const std::int64_t capacity = load.past + load.rows, T = load.items * load.rows;
    const std::size_t bytes = rowBytes(type, static_cast<std::size_t>(kDim)) *
                              static_cast<std::size_t>(kKvHeads * capacity);
    // Every repetition has a cache of its own, as every layer of a model has.
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::vector<KvLayer>> layers(static_cast<std::size_t>(load.items));
    std::vector<BatchItem> items;
    for (std::int64_t i = 0; i < load.items; ++i) {
        std::vector<KvLayer> &own = layers[static_cast<std::size_t>(i)];
        for (int layer = 0; layer < kRepeats; ++layer) {
            buffers.push_back(device.allocate(bytes, "keys"));
            buffers.push_back(device.allocate(bytes, "values"));
            own.push_back({buffers[buffers.size() - 2].get(), buffers.back().get(), type, kKvHeads,
                           capacity, kDim, kDim});
        }
        items.push_back({own, i * load.rows, load.rows, load.past});
    }
    const auto commands = device.commands(std::size_t{256} << 20, T);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(T), 0);
    AttentionShape shape;
    shape.heads = kHeads;
    shape.kvHeads = kKvHeads;
    shape.headDim = kDim;
    shape.scale = 0.09f;
    HeadTransform plain;
    plain.headDim = kDim;
    Rope rope;
    rope.inverseFrequencies.assign(kDim / 2, 0.5f);
    plain.rope = rope;
    // After a pause a card may run at a fraction of its clock: it is kept busy before and
    // meanwhile.
    const double work = static_cast<double>(T) * static_cast<double>(load.past + load.rows);
    const int turns = work < 1e5 ? 16 : 1;
    double best = 1e9, heads = load.rows == 1 ? 0 : 1e9;
    std::int64_t dispatches = 0;
    auto begun = std::chrono::steady_clock::now();
    for (int pass = 0; std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(200);
         ++pass) {
        commands->begin({zeros, zeros, items, {}});
        const Tensor q = commands->scratch(T, kHeads * kDim);
        const Tensor k = commands->scratch(T, kKvHeads * kDim);
        const Tensor out = commands->scratch(T, kHeads * kDim);
        for (int turn = 0; turn < turns; ++turn)
            for (int layer = 0; layer < kRepeats; ++layer) {
                if (load.rows == 1) {
                    commands->record(op::AppendKv{q, plain, k, plain, k, layer, shape});
                    commands->record(op::Attention{q, layer, shape, out});
                    continue;
                }
                commands->record(op::AppendKv{q, plain, k, plain, k, layer, shape});
                commands->record(op::Attention{q, layer, shape, out});
            }
        commands->sync();
        if (pass == 0) // the pipelines are there
            begun = std::chrono::steady_clock::now();
        for (const OpTime &time : commands->takeOpTimes()) {
            double &least = std::string(time.op) == "appendKv" ? heads : best;
            least = std::min(least, time.seconds / static_cast<double>(time.calls));
            if (&least == &best)
                dispatches = time.dispatches / time.calls;
        }
    }
    const double pairs = static_cast<double>(T) * static_cast<double>(load.past) +
                         static_cast<double>(T) * static_cast<double>(load.rows + 1) / 2;
    const double flops = 4 * pairs * static_cast<double>(kHeads * kDim);
    const double read = 2 * static_cast<double>(bytes) * static_cast<double>(load.items);
    std::printf("%2lld x %4lld rows after %6lld: attention %9.2f us, %lld dispatches, %7.1f GB/s, "
                "%6.1f TFLOP/s; appendKv %7.2f us\n",
                static_cast<long long>(load.items), static_cast<long long>(load.rows),
                static_cast<long long>(load.past), best * 1e6, static_cast<long long>(dispatches),
                read / best / 1e9, flops / best / 1e12, heads * 1e6);
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const std::string id = count > 1 ? arguments[1] : "vulkan:0";
    const std::string wanted = count > 2 ? arguments[2] : "F16";
    try {
        for (const DeviceReport &report : probeVulkan()) {
            if (report.id != id || !report.available)
                continue;
            const auto device = openVulkan(report);
            std::printf("%s, %s\n", report.name.c_str(), wanted.c_str());
            for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
                if (wanted == name(type))
                    for (const Load &load : kLoads)
                        measure(*device, type, load);
            return 0;
        }
        std::fprintf(stderr, "no device %s\n", id.c_str());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 1;
}
