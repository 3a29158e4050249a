#include "engine/cpu/cpu_commands.h"

#include "engine/core/error.h"
#include "engine/cpu/cpu_weight.h"
#include "engine/cpu/kernels.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fireside::cpu {
namespace {

constexpr std::size_t kAlignment = 64; // of scratch tensors, in bytes

[[noreturn]] void throwInternal(const std::string &text)
{
    throw Error(ErrorKind::Internal, text);
}

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return std::string("[") + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

/// Both shapes in the message: the expected one and what came.
void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 std::int64_t gotRows, std::int64_t gotCols)
{
    if (rows != gotRows || cols != gotCols)
        throwInternal(std::string(op) + ": " + what + " should be " + shapeText(rows, cols) +
                      " but is " + shapeText(gotRows, gotCols));
}

void expectShape(const char *op, const char *what, std::int64_t rows, std::int64_t cols,
                 const Tensor &t)
{
    expectShape(op, what, rows, cols, t.rows, t.cols);
}

void expectShape(const char *op, std::int64_t rows, std::int64_t cols, const Weight &w)
{
    expectShape(op, w.name.c_str(), rows, cols, w.rows, w.cols);
}

float *floats(const Tensor &t, const char *what)
{
    return reinterpret_cast<float *>(tensorData(t, DType::F32, what));
}

std::size_t size(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

void checkShape(const char *op, const AttentionShape &s)
{
    if (s.heads <= 0 || s.kvHeads <= 0 || s.headDim <= 0 || s.heads % s.kvHeads != 0 ||
        s.window < 0)
        throwInternal(std::string(op) + ": invalid attention shape, " + std::to_string(s.heads) +
                      " heads, " + std::to_string(s.kvHeads) + " kv heads of " +
                      std::to_string(s.headDim) + ", window " + std::to_string(s.window));
}

constexpr std::array kOpNames{"embed",     "rmsNorm",    "linear", "gatedLinear", "headsToCache",
                              "attention", "gatherRows", "argmax", "upload"};

} // namespace

/// Times an op and says whether to run it at all.
class CpuCommands::OpScope
{
public:
    OpScope(CpuCommands &commands, Op op)
        : m_counter(commands.m_counters[static_cast<std::size_t>(op)])
        , m_start(std::chrono::steady_clock::now())
    {
        if (commands.m_stop.stop_requested())
            commands.m_stopped = true;
        m_skip = commands.m_stopped;
    }
    ~OpScope()
    {
        ++m_counter.calls;
        m_counter.time += std::chrono::steady_clock::now() - m_start;
    }
    OpScope(const OpScope &) = delete;
    OpScope &operator=(const OpScope &) = delete;
    bool skip() const { return m_skip; }

private:
    OpCounter &m_counter;
    std::chrono::steady_clock::time_point m_start;
    bool m_skip = false;
};

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
    const std::int64_t T = static_cast<std::int64_t>(batch.ids.size());
    if (batch.positions.size() != batch.ids.size())
        throwInternal("begin: " + std::to_string(T) + " ids but " +
                      std::to_string(batch.positions.size()) + " positions");
    if (T > m_maxRows)
        throwInternal("begin: " + std::to_string(T) + " rows, planned for at most " +
                      std::to_string(m_maxRows));
    std::int64_t next = 0;
    for (const BatchItem &item : batch.items) {
        if (item.firstRow != next || item.rows < 0 || item.rows > T - next || item.past < 0)
            throwInternal("begin: item with rows " + std::to_string(item.firstRow) + " + " +
                          std::to_string(item.rows) + " after " + std::to_string(item.past) +
                          " tokens does not continue at row " + std::to_string(next) + " of " +
                          std::to_string(T));
        next += item.rows;
    }
    if (next != T)
        throwInternal("begin: items cover " + std::to_string(next) + " of " + std::to_string(T) +
                      " rows");
    m_ids.assign(batch.ids.begin(), batch.ids.end());
    m_positions.assign(batch.positions.begin(), batch.positions.end());
    m_items.assign(batch.items.begin(), batch.items.end());
    if (static_cast<std::int64_t>(batch.outputRows.size()) > m_maxRows)
        throwInternal("begin: " + std::to_string(batch.outputRows.size()) +
                      " output rows, planned for at most " + std::to_string(m_maxRows));
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

void CpuCommands::embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
                        Accumulate mode)
{
    const OpScope scope(*this, Op::Embed);
    const CpuWeight &weight = asCpu(table);
    if (mode != Accumulate::Overwrite)
        throwUnsupported("embed that adds, on the CPU");
    expectShape("embed", "ids", ids.rows, 1, ids);
    expectShape("embed", "out", ids.rows, weight.cols, out);
    const auto *from = reinterpret_cast<const std::int32_t *>(tensorData(ids, DType::I32, "ids"));
    float *to = floats(out, "embed: out");
    for (std::int64_t t = 0; t < ids.rows; ++t)
        if (const std::int32_t id = from[t * ids.stride]; id < 0 || id >= weight.rows)
            throwBadInput("token id " + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(weight.rows));
    if (scope.skip())
        return;
    const VectorKernels &vec = vectorKernels();
    const std::size_t n = size(weight.cols);
    m_pool.parallelFor(ids.rows, 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (std::ptrdiff_t t = begin; t < end; ++t) {
            float *row = to + t * out.stride;
            dequantizeRow(weight.dtype, weight.row(from[t * ids.stride]), row, n);
            if (scale != 1.0f)
                vec.scale(row, scale, n);
        }
    });
}

void CpuCommands::rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out)
{
    const OpScope scope(*this, Op::RmsNorm);
    expectShape("rmsNorm", 1, x.cols, weight);
    expectShape("rmsNorm", "out", x.rows, x.cols, out);
    const float *from = floats(x, "rmsNorm: x");
    float *to = floats(out, "rmsNorm: out");
    const float *scale = asCpu(weight).vector();
    if (!scope.skip())
        cpu::rmsNorm(m_pool, from, size(x.stride), scale, eps, to, size(out.stride), size(x.rows),
                     size(x.cols));
}

CpuCommands::FloatRows CpuCommands::normed(const char *op, const LinearInput &input, bool skip)
{
    const float *x = floats(input.x, op);
    if (!input.norm)
        return {x, size(input.x.stride)};
    expectShape(op, 1, input.x.cols, *input.norm);
    const float *scale = asCpu(*input.norm).vector();
    const std::size_t n = size(input.x.cols);
    if (!skip) {
        m_normed.resize(size(input.x.rows) * n);
        cpu::rmsNorm(m_pool, x, size(input.x.stride), scale, input.eps, m_normed.data(), n,
                     size(input.x.rows), n);
    }
    return {m_normed.data(), n};
}

void CpuCommands::linear(const LinearInput &input, std::span<const LinearTarget> targets,
                         Accumulate mode)
{
    const OpScope scope(*this, Op::Linear);
    const Tensor &x = input.x;
    m_jobs.clear();
    for (const LinearTarget &target : targets) {
        if (!target.weight)
            throwInternal("linear: a target without weight");
        const CpuWeight &weight = asCpu(*target.weight);
        expectShape("linear", weight.rows, x.cols, weight);
        expectShape("linear", "out", x.rows, weight.rows, target.out);
        LinearJob job;
        job.weight = weight.matrix();
        job.out = floats(target.out, "linear: out");
        job.outStride = size(target.out.stride);
        job.accumulate = mode == Accumulate::AddToOutput;
        if (target.bias) {
            expectShape("linear", 1, weight.rows, *target.bias);
            job.bias = asCpu(*target.bias).vector();
        }
        m_jobs.push_back(job);
    }
    const FloatRows from = normed("linear: x", input, scope.skip());
    if (!scope.skip())
        cpu::linear(m_pool, m_linearScratch, from.data, from.stride, size(x.rows), size(x.cols),
                    m_jobs);
}

void CpuCommands::gatedLinear(const LinearInput &input, const GatedWeights &weights, Activation act,
                              const Tensor &out)
{
    const OpScope scope(*this, Op::GatedLinear);
    const Tensor &x = input.x;
    const Weight &gate = *weights.gate;
    if (weights.gateBias || weights.upBias)
        throwUnsupported("gatedLinear with biases, on the CPU");
    expectShape("gatedLinear", gate.rows, x.cols, gate);
    expectShape("gatedLinear", gate.rows, x.cols, *weights.up);
    expectShape("gatedLinear", "out", x.rows, gate.rows, out);
    float *to = floats(out, "gatedLinear: out");
    const WeightMatrix gateMatrix = asCpu(gate).matrix(), upMatrix = asCpu(*weights.up).matrix();
    const FloatRows from = normed("gatedLinear: x", input, scope.skip());
    if (!scope.skip())
        cpu::gatedLinear(m_pool, m_linearScratch, from.data, from.stride, size(x.rows), gateMatrix,
                         upMatrix, gateFunction(act), to, size(out.stride));
}

const float *CpuCommands::ropeTableFor(const Rope &rope)
{
    const auto same = [&rope](const RopeTable &t) {
        return t.rope.attentionFactor == rope.attentionFactor &&
               t.rope.inverseFrequencies == rope.inverseFrequencies;
    };
    auto table = std::find_if(m_ropeTables.begin(), m_ropeTables.end(), same);
    if (table == m_ropeTables.end()) {
        RopeTable added;
        added.rope = rope;
        table = m_ropeTables.insert(m_ropeTables.end(), std::move(added));
    }
    if (!table->current) {
        table->cosSin.resize(m_positions.size() * 2 * rope.inverseFrequencies.size());
        ropeTable(m_pool, rope, m_positions, table->cosSin.data());
        table->current = true;
    }
    return table->cosSin.data();
}

KvView CpuCommands::cacheOf(const BatchItem &item, std::int64_t layer,
                            const AttentionShape &shape) const
{
    if (layer < 0 || size(layer) >= item.cache.size())
        throwInternal("layer " + std::to_string(layer) + " is not in a cache of " +
                      std::to_string(item.cache.size()) + " layers");
    const KvLayer &kv = item.cache[size(layer)];
    if (kv.kvHeads != shape.kvHeads || kv.headDim != shape.headDim)
        throwInternal("cache of layer " + std::to_string(layer) + " has " +
                      shapeText(kv.kvHeads, kv.headDim) + " heads and channels, the model " +
                      shapeText(shape.kvHeads, shape.headDim));
    if (item.rows > kv.capacity || item.past > kv.capacity - item.rows)
        throwInternal("cache of layer " + std::to_string(layer) + " holds " +
                      std::to_string(kv.capacity) + " tokens, needed are " +
                      std::to_string(item.past) + " + " + std::to_string(item.rows));
    const bool known = kv.dtype == DType::F32 || kv.dtype == DType::F16 || kv.dtype == DType::Q8_0;
    if (!known || kv.headDim % info(kv.dtype).blockElements != 0)
        throwUnsupported(std::string("a key-value cache of type ") + name(kv.dtype) +
                         " with heads of " + std::to_string(kv.headDim) + " channels");
    CpuBuffer &keys = asCpu(kv.keys, "key cache");
    CpuBuffer &values = asCpu(kv.values, "value cache");
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(size(kv.kvHeads), size(kv.capacity), &bytes) ||
        __builtin_mul_overflow(bytes, rowBytes(kv.dtype, size(kv.headDim)), &bytes) ||
        bytes > keys.size() || bytes > values.size())
        throwInternal("cache of layer " + std::to_string(layer) + " needs " +
                      std::to_string(bytes) + " bytes, its buffers have " +
                      std::to_string(keys.size()) + " and " + std::to_string(values.size()));
    return {keys.data(),      values.data(),     kv.dtype,
            size(kv.kvHeads), size(kv.capacity), size(kv.headDim)};
}

void CpuCommands::headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                               const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                               const AttentionShape &shape)
{
    const OpScope scope(*this, Op::HeadsToCache);
    checkShape("headsToCache", shape);
    expectShape("headsToCache", "q", rows(), shape.heads * shape.headDim, q);
    expectShape("headsToCache", "k", rows(), shape.kvHeads * shape.headDim, k);
    expectShape("headsToCache", "v", rows(), shape.kvHeads * shape.headDim, v);
    if (k.stride != v.stride)
        throwInternal("headsToCache: k has stride " + std::to_string(k.stride) + " but v " +
                      std::to_string(v.stride));
    float *keys = floats(k, "headsToCache: k");
    const float *values = floats(v, "headsToCache: v");
    for (const BatchItem &item : m_items)
        cacheOf(item, layer, shape); // checked before anything is changed
    transformInPlace(q, qTransform, shape.heads, scope.skip());
    transformInPlace(k, kTransform, shape.kvHeads, scope.skip());
    if (scope.skip())
        return;
    for (const BatchItem &item : m_items)
        appendKv(m_pool, cacheOf(item, layer, shape), keys + item.firstRow * k.stride,
                 values + item.firstRow * v.stride, size(k.stride), size(item.rows),
                 size(item.past));
}

void CpuCommands::transformInPlace(const Tensor &x, const HeadTransform &transform,
                                   std::int64_t heads, bool skip)
{
    float *data = floats(x, "heads");
    const std::size_t dim = size(x.cols / heads);
    if (transform.norm) {
        expectShape("heads", 1, x.cols / heads, *transform.norm);
        const float *scale = asCpu(*transform.norm).vector();
        if (!skip)
            cpu::headRmsNorm(m_pool, data, size(x.stride), scale, transform.eps, size(x.rows),
                             size(heads), dim);
    }
    if (!transform.rope)
        return;
    const Rope &rope = *transform.rope;
    const std::size_t rotary = 2 * rope.inverseFrequencies.size();
    if (rotary + size(rope.firstChannel) > dim)
        throwInternal("heads: " + std::to_string(rotary) + " rotary channels in heads of " +
                      std::to_string(dim));
    if (rotary > 0 && !skip)
        applyRope(m_pool, data + rope.firstChannel, size(x.stride), ropeTableFor(rope), rotary,
                  rope.pairing, size(x.rows), size(heads), dim);
}

void CpuCommands::attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                            const Tensor &out)
{
    const OpScope scope(*this, Op::Attention);
    checkShape("attention", shape);
    expectShape("attention", "q", rows(), shape.heads * shape.headDim, q);
    expectShape("attention", "out", rows(), shape.heads * shape.headDim, out);
    const float *queries = floats(q, "attention: q");
    float *to = floats(out, "attention: out");
    m_attention.clear();
    for (const BatchItem &item : m_items)
        m_attention.push_back(
            {cacheOf(item, layer, shape), size(item.firstRow), size(item.rows), size(item.past)});
    if (!scope.skip())
        cpu::attention(m_pool, m_attention, queries, size(q.stride), shape, to, size(out.stride));
}

void CpuCommands::gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out)
{
    const OpScope scope(*this, Op::GatherRows);
    expectShape("gatherRows", "rows", rows.rows, 1, rows);
    expectShape("gatherRows", "out", rows.rows, x.cols, out);
    const float *from = floats(x, "gatherRows: x");
    float *to = floats(out, "gatherRows: out");
    const auto *which =
        reinterpret_cast<const std::int32_t *>(tensorData(rows, DType::I32, "gatherRows: rows"));
    for (std::int64_t i = 0; i < rows.rows; ++i)
        if (const std::int32_t row = which[i * rows.stride]; row < 0 || row >= x.rows)
            throwInternal("gatherRows: row " + std::to_string(row) + " of " +
                          std::to_string(x.rows));
    if (scope.skip())
        return;
    for (std::int64_t i = 0; i < rows.rows; ++i) // memmove: out may be x itself
        std::memmove(to + i * out.stride, from + which[i * rows.stride] * x.stride,
                     size(x.cols) * sizeof(float));
}

void CpuCommands::argmax(const Tensor &x, const Tensor &ids)
{
    const OpScope scope(*this, Op::Argmax);
    expectShape("argmax", "ids", x.rows, 1, ids);
    const float *from = floats(x, "argmax: x");
    auto *to = reinterpret_cast<std::int32_t *>(tensorData(ids, DType::I32, "argmax: ids"));
    if (ids.stride != 1)
        throwInternal("argmax: ids have stride " + std::to_string(ids.stride) + " instead of 1");
    if (!scope.skip())
        cpu::argmax(m_pool, from, size(x.stride), size(x.rows), size(x.cols), to);
}

void CpuCommands::upload(std::span<const float> values, const Tensor &out)
{
    const OpScope scope(*this, Op::Upload);
    float *to = floats(out, "upload: out");
    if (values.size() != size(out.rows) * size(out.cols))
        throwInternal("upload: " + std::to_string(values.size()) + " values for " +
                      shapeText(out.rows, out.cols));
    if (scope.skip() || out.cols == 0)
        return;
    for (std::int64_t t = 0; t < out.rows; ++t)
        std::memcpy(to + t * out.stride, values.data() + t * out.cols,
                    size(out.cols) * sizeof(float));
}

void CpuCommands::upload(std::span<const std::int32_t> values, const Tensor &out)
{
    const OpScope scope(*this, Op::Upload);
    auto *to = reinterpret_cast<std::int32_t *>(tensorData(out, DType::I32, "upload: out"));
    if (values.size() != size(out.rows) * size(out.cols))
        throwInternal("upload: " + std::to_string(values.size()) + " values for " +
                      shapeText(out.rows, out.cols));
    if (scope.skip() || out.cols == 0)
        return;
    for (std::int64_t t = 0; t < out.rows; ++t)
        std::memcpy(to + t * out.stride, values.data() + t * out.cols,
                    size(out.cols) * sizeof(std::int32_t));
}

void CpuCommands::sync()
{
    if (m_stopped && !m_preparing)
        throwCancelled();
}

void CpuCommands::read(const Tensor &x, std::span<float> values)
{
    const float *from = floats(x, "read");
    if (values.size() != size(x.rows) * size(x.cols))
        throwInternal("read: " + shapeText(x.rows, x.cols) + " into " +
                      std::to_string(values.size()) + " values");
    for (std::int64_t t = 0; t < x.rows && x.cols > 0; ++t)
        std::memcpy(values.data() + t * x.cols, from + t * x.stride, size(x.cols) * sizeof(float));
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
