#include "engine/cpu/cpu_commands.h"

#include "engine/backend/checks.h"
#include "engine/core/error.h"
#include "engine/cpu/checks.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fireside::cpu {
namespace {

constexpr std::size_t kAlignment = 64; // of scratch tensors, in bytes

constexpr std::array kOpNames{"embed",          "gatherRows",
                              "copy",           "reorderHeads",
                              "splitQkv",       "upload",
                              "rmsNorm",        "addRmsNorm",
                              "layerNorm",      "addLayerNorm",
                              "l2Normalize",    "add",
                              "multiply",       "addScaled",
                              "addBias",        "activate",
                              "gate",           "softcap",
                              "softmax",        "linear",
                              "gatedLinear",    "headLinear",
                              "batchedProduct", "transformHeads",
                              "headsToCache",   "latentToCache",
                              "attention",      "sequenceAttention",
                              "route",          "expertGatedLinear",
                              "expertLinear",   "shortConvolution",
                              "gatedDeltaRule", "argmax",
                              "topK",           "pad",
                              "unpad",          "pool"};

} // namespace

const char *CpuCommands::opName(Op op)
{
    return kOpNames[static_cast<std::size_t>(op)];
}

CpuCommands::CpuCommands(ThreadPool &pool, std::size_t scratchBytes, std::int64_t maxRows)
    : m_pool(pool)
    , m_arena(scratchBytes, "working memory of a pass", CpuBuffer::Pages::Huge)
    , m_maxRows(maxRows)
    , m_passIds(static_cast<std::size_t>(3 * std::max<std::int64_t>(1, maxRows)) *
                    sizeof(std::int32_t),
                "the ids of a pass")
{
    static_assert(kOpNames.size() == static_cast<std::size_t>(Op::Count));
}

CpuCommands::Begin CpuCommands::begin(const Batch &batch, const PassOptions &options)
{
    checkBatch(batch, m_maxRows);
    m_ids.assign(batch.ids.begin(), batch.ids.end());
    m_positions.assign(batch.positions.begin(), batch.positions.end());
    m_items.assign(batch.items.begin(), batch.items.end());
    m_outputRows.assign(batch.outputRows.begin(), batch.outputRows.end());
    const auto place = [&](const std::vector<std::int32_t> &values, std::int64_t slot) {
        const std::size_t offset = size(slot * m_maxRows) * sizeof(std::int32_t);
        if (!values.empty())
            std::memcpy(m_passIds.data() + offset, values.data(),
                        values.size() * sizeof(std::int32_t));
        return Tensor{&m_passIds, offset, DType::I32, static_cast<std::int64_t>(values.size()),
                      1,          1};
    };
    m_idsTensor = place(m_ids, 0);
    m_positionsTensor = place(m_positions, 1);
    m_outputRowsTensor = place(m_outputRows, 2);
    m_stop = options.stop;
    m_stopped = options.prepareOnly; // nothing to prepare here: the ops are skipped
    m_preparing = options.prepareOnly;
    m_cursor = 0;
    for (RopeTable &table : m_ropeTables)
        table.current = false;
    return Begin::Record;
}

void CpuCommands::keep(int slot, const Tensor &tensor)
{
    m_kept.at(static_cast<std::size_t>(slot)) = tensor;
}

Tensor CpuCommands::kept(int slot) const
{
    return m_kept.at(static_cast<std::size_t>(slot));
}

Tensor CpuCommands::scratch(std::int64_t rows, std::int64_t cols, DType dtype)
{
    std::size_t bytes = 0, end = 0;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(size(rows), size(cols), &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{info(dtype).blockBytes}, &bytes) ||
        __builtin_add_overflow(m_cursor, bytes, &end) || end > m_arena.size())
        throw Error(ErrorKind::Memory,
                    "scratch " + shapeText(rows, cols) + " does not fit: " + formatBytes(m_cursor) +
                        " of " + formatBytes(m_arena.size()) + " planned for a pass are in use");
    const Tensor tensor{&m_arena, m_cursor, dtype, rows, cols, cols};
    m_cursor = std::min(m_arena.size(), (end + kAlignment - 1) / kAlignment * kAlignment);
    return tensor;
}

void CpuCommands::release(std::size_t mark)
{
    if (mark > m_cursor)
        throwInternal("release: mark " + std::to_string(mark) + " is beyond the cursor " +
                      std::to_string(m_cursor));
    m_cursor = mark;
}

void CpuCommands::sync()
{
    if (m_stopped && !m_preparing)
        throwCancelled();
}

void CpuCommands::read(const Tensor &x, std::span<float> values)
{
    m_views.restart();
    const FloatRows from = m_views.view(m_pool, x, "read", true);
    if (values.size() != size(x.rows) * size(x.cols))
        throwInternal("read: " + shapeText(x.rows, x.cols) + " into " +
                      std::to_string(values.size()) + " values");
    for (std::size_t t = 0; t < from.rows && from.cols > 0; ++t)
        std::memcpy(values.data() + t * from.cols, from.row(t), from.cols * sizeof(float));
}

void CpuCommands::read(const Tensor &x, std::span<std::int32_t> values)
{
    const auto *from = reinterpret_cast<const std::int32_t *>(tensorData(x, DType::I32, "read"));
    if (values.size() != size(x.rows) * size(x.cols))
        throwInternal("read: " + shapeText(x.rows, x.cols) + " into " +
                      std::to_string(values.size()) + " values");
    for (std::int64_t t = 0; t < x.rows && x.cols > 0; ++t)
        std::memcpy(values.data() + t * x.cols, from + t * x.stride,
                    size(x.cols) * sizeof(std::int32_t));
}

std::vector<OpTime> CpuCommands::takeOpTimes()
{
    std::vector<OpTime> times;
    for (std::size_t i = 0; i < m_counters.size(); ++i)
        if (m_counters[i].calls > 0)
            times.push_back({kOpNames[i], m_counters[i].calls,
                             std::chrono::duration<double>(m_counters[i].time).count()});
    m_counters = {};
    return times;
}

} // namespace fireside::cpu
