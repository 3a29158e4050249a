#include "engine/cpu/cpu_commands.h"

#include "engine/backend/checks.h"
#include "engine/core/error.h"
#include "engine/cpu/ops/op_call.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fireside::cpu {
namespace {

constexpr std::size_t kAlignment = 64; // of scratch tensors, in bytes

} // namespace

CpuCommands::CpuCommands(ThreadPool &pool, std::size_t scratchBytes, std::int64_t maxRows,
                         std::shared_ptr<MemoryLedger> ledger)
    : m_maxRows(maxRows)
    , m_pass(pool, maxRows)
    , m_arena(scratchBytes, "working memory of a pass", CpuBuffer::Pages::Huge,
              MemoryEntry(ledger, MemoryPurpose::Scratch))
    , m_work(std::move(ledger), MemoryPurpose::Other)
{}

CpuCommands::Begin CpuCommands::begin(const Batch &batch, const PassOptions &options)
{
    checkBatch(batch, m_maxRows);
    m_pass.begin(batch);
    m_pass.next = options.next != nullptr ? *options.next : NextIds{};
    m_pass.draws.assign(m_pass.next.draws.begin(), m_pass.next.draws.end());
    m_pass.next.draws = m_pass.draws;
    m_pass.stop = options.stop;
    m_pass.stopped = options.prepareOnly; // nothing to prepare here: the ops are skipped
    m_preparing = options.prepareOnly;
    m_cursor = 0;
    return Begin::Record;
}

void CpuCommands::keep(int slot, const Tensor &tensor)
{
    m_kept.at(size(slot)) = tensor;
}

Tensor CpuCommands::kept(int slot) const
{
    return m_kept.at(size(slot));
}

Tensor CpuCommands::scratch(std::int64_t rows, std::int64_t cols, DType dtype)
{
    std::size_t bytes = 0, end = 0;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(size(rows), size(cols), &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{info(dtype).blockBytes}, &bytes) ||
        __builtin_add_overflow(m_cursor, bytes, &end) || end > m_arena.size())
        throw Error(ErrorKind::Memory, "scratch " + op::shapeText(rows, cols) +
                                           " does not fit: " + formatBytes(m_cursor) + " of " +
                                           formatBytes(m_arena.size()) +
                                           " planned for a pass are in use");
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

void CpuCommands::take(const Op &op)
{
    const auto start = std::chrono::steady_clock::now();
    OpCall call(m_pass, kOpNames[op.index()]);
    std::visit(
        [&](const auto &each) {
            check(each, {m_pass.rows(), m_pass.items});
            run(call, each);
        },
        static_cast<const Op::variant &>(op));
    if (call.skip())
        return;
    OpCounter &counter = m_counters[op.index()];
    ++counter.calls;
    counter.time += std::chrono::steady_clock::now() - start;
    counter.work += workOf(op, {m_pass.rows(), m_pass.items});
}

void CpuCommands::upload(std::span<const float> values, const Tensor &out)
{
    OpCall call(m_pass, "upload");
    const FloatRows to = call.output(out, "out");
    op::OpCheck("upload").count(out, values.size());
    call.run([&] { cpu::copy(m_pass.pool, {values.data(), to.cols, to.rows, to.cols}, to); });
}

void CpuCommands::upload(std::span<const std::int32_t> values, const Tensor &out)
{
    OpCall call(m_pass, "upload");
    const IdRows to = call.ids(out, "out");
    op::OpCheck("upload").count(out, values.size());
    call.run([&] {
        for (std::size_t t = 0; t < to.rows && to.cols > 0; ++t)
            std::memcpy(&to.at(t), values.data() + t * to.cols, to.cols * sizeof(std::int32_t));
    });
}

void CpuCommands::bring(std::span<const float> values)
{
    m_brought.assign(values.begin(), values.end());
}

void CpuCommands::takeBrought(const Tensor &x)
{
    if (!m_preparing) // then nothing was brought
        upload(m_brought, x);
}

void CpuCommands::handOver(const HandedWork &work)
{
    if (m_helper == nullptr)
        throwInternal("work is handed over to nobody");
    if (OpCall(m_pass, "handOver").skip())
        return;
    HandedPlaces places;
    for (std::size_t i = 0; i < work.from.size(); ++i)
        if (work.from[i].cols > 0)
            places.from[i] = tensorData(work.from[i], work.from[i].dtype, "handOver");
    places.to = tensorData(work.to, DType::F32, "handOver");
    doHandedWork(*m_helper, work, places);
}

void CpuCommands::sync()
{
    m_work.set(m_pass.workBytes());
    if (m_pass.stopped && !m_preparing)
        throwCancelled();
}

void CpuCommands::read(const Tensor &x, std::span<float> values)
{
    m_pass.views.restart();
    const FloatRows from = m_pass.views.view(m_pass.pool, x, "read", true);
    op::OpCheck("read").count(x, values.size());
    for (std::size_t t = 0; t < from.rows && from.cols > 0; ++t)
        std::memcpy(values.data() + t * from.cols, from.row(t), from.cols * sizeof(float));
}

void CpuCommands::read(const Tensor &x, std::span<std::int32_t> values)
{
    const auto *from = reinterpret_cast<const std::int32_t *>(tensorData(x, DType::I32, "read"));
    op::OpCheck("read").count(x, values.size());
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
                             std::chrono::duration<double>(m_counters[i].time).count(), 0,
                             m_counters[i].work});
    m_counters = {};
    return times;
}

} // namespace fireside::cpu
