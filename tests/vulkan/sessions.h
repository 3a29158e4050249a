#pragma once
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/vulkan_commands.h"
#include "tests/support/reference_attention.h"
#include "tests/support/require.h"
#include "tests/vulkan/emulated_matrices.h"
#include "tests/vulkan/op_pass.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Sessions whose caches hold random tokens, and what attention over them should give.
namespace fireside::test {

/// Rows of a pass behind the tokens a session has.
struct Item
{
    std::int64_t rows, past;
};

struct Case
{
    std::int64_t heads = 4, kvHeads = 2, dim = 64, valueDim = 64;
    std::vector<Item> items;
    DType cache = DType::F32;
    std::int64_t window = 0, chunk = 0;
    float softcap = 0, alibi = 0;
    bool sinks = false;
    DType query = DType::F32, out = DType::F32;
    float scale = 0; // 0: 1 / √dim
    bool causal = true;
};

inline std::string text(const Case &c)
{
    std::string text = std::to_string(c.heads) + "/" + std::to_string(c.kvHeads) + " heads of " +
                       std::to_string(c.dim) + "/" + std::to_string(c.valueDim) + " " +
                       name(c.cache);
    for (const Item &item : c.items)
        text += ", " + std::to_string(item.rows) + " after " + std::to_string(item.past);
    if (c.chunk > 0)
        text += ", chunk " + std::to_string(c.chunk);
    return text + (c.window > 0 ? ", window " + std::to_string(c.window) : "");
}

/// Sessions with filled caches on a device, and queries for a pass over all of them.
class Sessions
{
public:
    Sessions(Device &device, const Case &c)
        : m_device(device)
        , m_case(c)
    {
        shape.heads = c.heads;
        shape.kvHeads = c.kvHeads;
        shape.headDim = c.dim;
        shape.valueDim = c.valueDim;
        shape.scale = c.scale > 0 ? c.scale : 1 / std::sqrt(static_cast<float>(c.dim));
        shape.causal = c.causal;
        shape.window = c.window;
        shape.chunk = c.chunk;
        shape.softcap = c.softcap;
        shape.alibiMaxBias = c.alibi;
        if (c.sinks) {
            m_sinkValues = randomValues(c.heads, 17, 2);
            m_sinks = device.addWeight(
                {"sinks", DType::F32, 1, c.heads, 1, std::as_bytes(std::span(m_sinkValues))});
            device.finishWeights();
            shape.sinks = m_sinks.get();
        }
        commands = device.commands(std::size_t{64} << 20, 8192);
        for (const Item &item : c.items) {
            items.push_back({{}, rows, item.rows, item.past});
            rows += item.rows;
            addCache(item.past + item.rows);
        }
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i].cache = {&m_layers[i], 1};
        queries = rounded(randomValues(rows * c.heads * c.dim, 5, 2), c.query);
    }

    void begin(const PassOptions &options = {}, std::vector<std::int32_t> positions = {})
    {
        std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        positions.resize(zeros.size(), 0);
        begun = commands->begin({zeros, positions, items, {}}, options);
    }
    Tensor upload(const std::vector<float> &values, std::int64_t cols, DType dtype = DType::F32)
    {
        const Tensor tensor = commands->scratch(rows, cols, dtype);
        commands->upload(values, tensor);
        return tensor;
    }
    Tensor output()
    {
        const std::int64_t cols = shape.heads * shape.values();
        return upload(std::vector<float>(static_cast<std::size_t>(rows * cols), kPoison), cols,
                      m_case.out);
    }
    std::vector<float> result(const Tensor &out)
    {
        std::vector<float> values(static_cast<std::size_t>(out.rows * out.cols));
        commands->read(out, values);
        return values;
    }
    std::vector<double> expected() const
    {
        std::vector<double> all;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].rows == 0)
                continue;
            const std::int64_t width = shape.heads * shape.headDim;
            const auto first = queries.begin() + items[i].firstRow * width;
            const std::vector<float> q(first, first + items[i].rows * width);
            const std::size_t keys = static_cast<std::size_t>(items[i].past + items[i].rows);
            const auto part = [&](const std::vector<double> &x, std::int64_t dim) {
                return std::span(x).first(keys * static_cast<std::size_t>(shape.kvHeads * dim));
            };
            const auto rowsOfItem = reference::attend(
                shape, items[i].rows, q, part(m_keys[i], shape.headDim),
                part(m_values[i], shape.values()), {m_sinkDoubles.data(), m_sinkDoubles.size()});
            all.insert(all.end(), rowsOfItem.begin(), rowsOfItem.end());
        }
        return all;
    }
    /// Of all items, [rows, Hkv·D]; without past.
    std::vector<float> keys() const { return joined(m_keys); }
    std::vector<float> values() const { return joined(m_values); }
    /// The last token of each item is what an op is about to append: k [items, Hkv·D], v likewise.
    void setNewest(const std::vector<double> &k, const std::vector<double> &v)
    {
        const auto replace = [&](std::vector<std::vector<double>> &caches,
                                 const std::vector<double> &newest, std::int64_t cols) {
            for (std::size_t i = 0; i < caches.size(); ++i) {
                const auto from = newest.begin() + static_cast<std::int64_t>(i) * cols;
                const auto kept = rounded(std::vector<float>(from, from + cols), m_case.cache);
                std::copy(kept.begin(), kept.end(), caches[i].end() - cols);
            }
        };
        replace(m_keys, k, shape.kvHeads * shape.headDim);
        replace(m_values, v, shape.kvHeads * shape.values());
    }
    void prepareReference() { m_sinkDoubles.assign(m_sinkValues.begin(), m_sinkValues.end()); }

    AttentionShape shape;
    std::unique_ptr<Commands> commands;
    std::vector<BatchItem> items;
    std::vector<float> queries;
    std::int64_t rows = 0;
    Commands::Begin begun = Commands::Begin::Record;

private:
    static std::vector<float> joined(const std::vector<std::vector<double>> &parts)
    {
        std::vector<float> all;
        for (const std::vector<double> &part : parts)
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }
    /// A cache with `length` random tokens and room for a few more.
    void addCache(std::int64_t length)
    {
        const std::int64_t capacity = length + 9;
        const auto bytes = [&](std::int64_t dim) {
            return rowBytes(m_case.cache, static_cast<std::size_t>(dim)) *
                   static_cast<std::size_t>(m_case.kvHeads * capacity);
        };
        m_buffers.push_back(m_device.allocate(bytes(m_case.dim), "keys"));
        m_buffers.push_back(m_device.allocate(bytes(m_case.valueDim), "values"));
        KvLayer layer;
        layer.keys = m_buffers[m_buffers.size() - 2].get();
        layer.values = m_buffers.back().get();
        layer.dtype = m_case.cache;
        layer.kvHeads = m_case.kvHeads;
        layer.capacity = capacity;
        layer.headDim = m_case.dim;
        layer.valueDim = m_case.valueDim;
        m_layers.reserve(64);
        m_layers.push_back(layer);
        const unsigned seed = static_cast<unsigned>(31 + 2 * m_layers.size());
        const std::int64_t keyCols = m_case.kvHeads * m_case.dim;
        const std::int64_t valueCols = m_case.kvHeads * m_case.valueDim;
        const auto k = randomValues(length * keyCols, seed);
        const auto v = randomValues(length * valueCols, seed + 1);
        std::vector<std::int32_t> zeros(static_cast<std::size_t>(length), 0);
        const std::vector<BatchItem> fill{{{&m_layers.back(), 1}, 0, length, 0}};
        commands->begin({zeros, zeros, fill, {}});
        const auto matrix = [&](const std::vector<float> &values, std::int64_t cols) {
            const Tensor tensor = commands->scratch(length, cols);
            commands->upload(values, tensor);
            return tensor;
        };
        const Tensor q = commands->scratch(length, m_case.heads * m_case.dim);
        HeadTransform none;
        none.headDim = m_case.dim;
        commands->record(
            op::AppendKv{q, none, matrix(k, keyCols), none, matrix(v, valueCols), 0, shape});
        commands->sync();
        const auto stored = [&](const std::vector<float> &x) {
            if (m_case.cache == DType::Q8_0)
                return reference::roundToQ8_0(x);
            const auto values = rounded(x, m_case.cache);
            return std::vector<double>(values.begin(), values.end());
        };
        m_keys.push_back(stored(k));
        m_values.push_back(stored(v));
    }

    Device &m_device;
    Case m_case;
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::vector<KvLayer> m_layers;
    std::vector<float> m_sinkValues;
    std::vector<double> m_sinkDoubles;
    std::unique_ptr<Weight> m_sinks;
    std::vector<std::vector<double>> m_keys, m_values; // [keys, Hkv, D] of each item
};

/// Attention on lavapipe, or on the device there is.
class VulkanAttention : public ::testing::Test
{
protected:
    void SetUp() override
    {
        if (test::vulkanDevice() == nullptr)
            FIRESIDE_SKIP("needs a Vulkan device (apt install mesa-vulkan-drivers)");
    }
    Device &device() { return *test::vulkanDevice(); }
};

inline vulkan::Recorder &recorderOf(Commands &commands)
{
    return dynamic_cast<vulkan::VulkanCommands &>(commands).recorder();
}

inline void expectNear(const std::vector<float> &actual, const std::vector<double> &expected,
                       double bound, const std::string &where)
{
    ASSERT_EQ(actual.size(), expected.size()) << where;
    EXPECT_LE(reference::relativeError(actual, expected), bound) << where;
}

} // namespace fireside::test
