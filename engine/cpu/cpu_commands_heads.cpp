#include "engine/core/error.h"
#include "engine/cpu/cpu_op.h"

// Heads, caches and attention.
namespace fireside::cpu {

void CpuCommands::reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to, const Tensor &out)
{
    OpScope op(*this, Op::ReorderHeads);
    const bool toHeads = to == HeadOrder::HeadMajor;
    const Tensor &tokens = toHeads ? x : out, &byHead = toHeads ? out : x;
    if (heads <= 0 || tokens.cols % heads != 0)
        op.fail(std::to_string(heads) + " heads in " + shapeText(tokens.rows, tokens.cols));
    op.expect(toHeads ? "out" : "x", heads * tokens.rows, tokens.cols / heads, byHead);
    const InRows from = op.input(x, "x");
    const FloatRows into = op.output(out, "out");
    op.run([&] { cpu::reorderHeads(m_pool, from, size(heads), to, into); });
}

void CpuCommands::splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape,
                           const Tensor &q, const Tensor &k, const Tensor &v)
{
    OpScope op(*this, Op::SplitQkv);
    checkShape("splitQkv", shape);
    op.expect("qkv", qkv.rows, (shape.heads + 2 * shape.kvHeads) * shape.headDim, qkv);
    op.expect("q", qkv.rows, shape.heads * shape.headDim, q);
    op.expect("k", qkv.rows, shape.kvHeads * shape.headDim, k);
    op.expect("v", qkv.rows, shape.kvHeads * shape.headDim, v);
    const InRows from = op.input(qkv, "qkv");
    const FloatRows queries = op.output(q, "q"), keys = op.output(k, "k");
    const FloatRows values = op.output(v, "v");
    op.run([&] { cpu::splitQkv(m_pool, from, layout, shape, queries, keys, values); });
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

KvView CpuCommands::cacheOf(const BatchItem &item, std::int64_t layer, std::int64_t kvHeads,
                            std::int64_t headDim, std::int64_t valueDim) const
{
    const auto where = [layer] { return "cache of layer " + std::to_string(layer); };
    if (layer < 0 || size(layer) >= item.cache.size())
        throwInternal("layer " + std::to_string(layer) + " is not in a cache of " +
                      std::to_string(item.cache.size()) + " layers");
    const KvLayer &kv = item.cache[size(layer)];
    const std::int64_t kvValues = kv.valueDim > 0 ? kv.valueDim : kv.headDim;
    if (kv.kvHeads != kvHeads || kv.headDim != headDim)
        throwInternal(where() + " has " + shapeText(kv.kvHeads, kv.headDim) +
                      " heads and channels, the model " + shapeText(kvHeads, headDim));
    if (kvValues != valueDim || (!kv.values && valueDim > headDim))
        throwInternal(where() + " has values of " + shapeText(kv.kvHeads, kvValues) +
                      ", the model " + shapeText(kvHeads, valueDim));
    if (item.rows > kv.capacity || item.past > kv.capacity - item.rows)
        throwInternal(where() + " holds " + std::to_string(kv.capacity) + " tokens, needed are " +
                      std::to_string(item.past) + " + " + std::to_string(item.rows));
    const bool known = kv.dtype == DType::F32 || kv.dtype == DType::F16 || kv.dtype == DType::Q8_0;
    const std::int64_t block = info(kv.dtype).blockElements;
    if (!known || headDim % block != 0 || (kv.values && valueDim % block != 0))
        throwUnsupported(std::string("a key-value cache of type ") + fireside::name(kv.dtype) +
                         " with heads of " + std::to_string(headDim) + " channels");
    CpuBuffer &keys = asCpu(kv.keys, "key cache");
    CpuBuffer *values = kv.values ? &asCpu(kv.values, "value cache") : nullptr;
    const auto fits = [&](std::int64_t dim, const CpuBuffer &buffer) {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(size(kv.kvHeads), size(kv.capacity), &bytes) ||
            __builtin_mul_overflow(bytes, rowBytes(kv.dtype, size(dim)), &bytes) ||
            bytes > buffer.size())
            throwInternal(where() + " needs " + std::to_string(bytes) + " bytes, its buffer has " +
                          std::to_string(buffer.size()));
    };
    fits(headDim, keys);
    if (values)
        fits(valueDim, *values);
    return {keys.data(),       values ? values->data() : nullptr,
            kv.dtype,          size(kv.kvHeads),
            size(kv.capacity), size(kv.headDim),
            size(valueDim)};
}

void CpuCommands::findCaches(std::int64_t layer, const AttentionShape &shape)
{
    m_attention.clear();
    for (const BatchItem &item : m_items)
        m_attention.push_back({cacheOf(item, layer, shape.kvHeads, shape.headDim, shape.values()),
                               size(item.firstRow), size(item.rows), size(item.past)});
}

HeadStep CpuCommands::headStep(OpScope &op, const HeadTransform &transform, const Tensor &x,
                               std::int64_t heads)
{
    if (heads <= 0 || x.cols % heads != 0)
        op.fail(std::to_string(heads) + " heads in " + shapeText(x.rows, x.cols));
    const std::int64_t dim = x.cols / heads;
    HeadStep step;
    step.norm = op.vector(transform.norm, dim);
    step.eps = transform.eps;
    if (!transform.rope || transform.rope->inverseFrequencies.empty())
        return step;
    const Rope &rope = *transform.rope;
    const auto pairs = static_cast<std::int64_t>(rope.inverseFrequencies.size());
    if (rope.firstChannel < 0 || rope.firstChannel > dim || 2 * pairs > dim - rope.firstChannel)
        op.fail(std::to_string(2 * pairs) + " rotary channels from " +
                std::to_string(rope.firstChannel) + " on in heads of " + std::to_string(dim));
    op.expect("heads", rows(), x.cols, x);
    step.pairs = size(pairs);
    step.firstChannel = size(rope.firstChannel);
    step.pairing = rope.pairing;
    if (!op.skip())
        step.cosSin = ropeTableFor(rope);
    return step;
}

void CpuCommands::transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                                 const Tensor &out)
{
    OpScope op(*this, Op::TransformHeads);
    if (transform.headDim <= 0 || x.cols % transform.headDim != 0)
        op.fail("heads of " + std::to_string(transform.headDim) + " in " +
                shapeText(x.rows, x.cols));
    const std::int64_t heads = x.cols / transform.headDim;
    if (to == HeadOrder::TokenMajor)
        op.expect("out", x.rows, x.cols, out);
    else
        op.expect("out", heads * x.rows, transform.headDim, out);
    const HeadStep step = headStep(op, transform, x, heads);
    const InRows from = op.input(x, "x");
    const FloatRows into = op.output(out, "out");
    op.run([&] { cpu::transformHeads(m_pool, from, size(heads), step, to, into); });
}

void CpuCommands::headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                               const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                               const AttentionShape &shape)
{
    OpScope op(*this, Op::HeadsToCache);
    checkShape("headsToCache", shape);
    op.expect("q", rows(), shape.heads * shape.headDim, q);
    op.expect("k", rows(), shape.kvHeads * shape.headDim, k);
    op.expect("v", rows(), shape.kvHeads * shape.values(), v);
    findCaches(layer, shape); // checked before anything is changed
    for (const AttentionItem &item : m_attention)
        if (!item.cache.values)
            op.fail("layer " + std::to_string(layer) + " has a latent cache");
    const HeadStep qStep = headStep(op, qTransform, q, shape.heads);
    const HeadStep kStep = headStep(op, kTransform, k, shape.kvHeads);
    const FloatRows queries = op.update(q, "q");
    const InRows keys = op.input(k, "k"), values = op.input(v, "v");
    const bool plain = !kStep.norm && !kStep.cosSin;
    const FloatRows turned = op.temporary(plain ? 0 : keys.rows, keys.cols);
    op.run([&] {
        if (qStep.norm || qStep.cosSin)
            cpu::transformHeads(m_pool, asInput(queries), size(shape.heads), qStep,
                                HeadOrder::TokenMajor, queries);
        if (!plain)
            cpu::transformHeads(m_pool, keys, size(shape.kvHeads), kStep, HeadOrder::TokenMajor,
                                turned);
        const InRows stored = plain ? keys : asInput(turned);
        for (const AttentionItem &item : m_attention)
            appendKv(m_pool, item.cache, part(stored, item.firstRow, item.rows),
                     part(values, item.firstRow, item.rows), item.past);
    });
}

void CpuCommands::attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                            const Tensor &out)
{
    OpScope op(*this, Op::Attention);
    checkShape("attention", shape);
    op.expect("q", rows(), shape.heads * shape.headDim, q);
    op.expect("out", rows(), shape.heads * shape.values(), out);
    const float *sinks = op.vector(shape.sinks, shape.heads);
    findCaches(layer, shape);
    const InRows queries = op.input(q, "q");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::attention(m_pool, m_attention, queries, shape, sinks, to); });
}

void CpuCommands::headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform,
                                           const Tensor &k, const HeadTransform &kTransform,
                                           const Tensor &v, std::int64_t layer,
                                           const AttentionShape &shape, const Tensor &out)
{
    headsToCache(q, qTransform, k, kTransform, v, layer, shape);
    attention(q, layer, shape, out);
}

void CpuCommands::latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                                std::int64_t layer)
{
    OpScope op(*this, Op::LatentToCache);
    const std::int64_t rank = latent.cols, width = rank + ropePart.cols;
    op.expect("latent", rows(), rank, latent);
    op.expect("ropePart", rows(), ropePart.cols, ropePart);
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = width;
    shape.valueDim = rank;
    findCaches(layer, shape);
    for (const AttentionItem &item : m_attention)
        if (item.cache.values)
            op.fail("the cache of layer " + std::to_string(layer) + " is not a latent one");
    const HeadStep step = headStep(op, {.headDim = ropePart.cols, .rope = &rope}, ropePart, 1);
    const InRows values = op.input(latent, "latent"), turning = op.input(ropePart, "ropePart");
    const FloatRows keys = op.temporary(values.rows, size(width));
    op.run([&] {
        cpu::copy(m_pool, values, {keys.data, keys.stride, keys.rows, values.cols});
        cpu::transformHeads(m_pool, turning, 1, step, HeadOrder::TokenMajor,
                            {keys.data + values.cols, keys.stride, keys.rows, turning.cols});
        for (const AttentionItem &item : m_attention)
            appendKv(m_pool, item.cache, part(asInput(keys), item.firstRow, item.rows), {},
                     item.past);
    });
}

void CpuCommands::sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                                    const AttentionShape &shape, const Tensor &out)
{
    OpScope op(*this, Op::SequenceAttention);
    checkShape("sequenceAttention", shape);
    op.expect("q", rows(), shape.heads * shape.headDim, q);
    op.expect("k", rows(), shape.kvHeads * shape.headDim, k);
    op.expect("v", rows(), shape.kvHeads * shape.values(), v);
    op.expect("out", rows(), shape.heads * shape.values(), out);
    const float *sinks = op.vector(shape.sinks, shape.heads);
    const InRows queries = op.input(q, "q"), keys = op.input(k, "k"), values = op.input(v, "v");
    const FloatRows to = op.output(out, "out");
    const std::size_t kvHeads = size(shape.kvHeads), T = keys.rows;
    const std::size_t dim = size(shape.headDim), valueDim = size(shape.values());
    // Head-major copies are a cache as attention reads it, each item a part of it.
    const FloatRows keyCache = op.temporary(kvHeads * T, dim);
    const FloatRows valueCache = op.temporary(kvHeads * T, valueDim);
    op.run([&] {
        cpu::reorderHeads(m_pool, keys, kvHeads, HeadOrder::HeadMajor, keyCache);
        cpu::reorderHeads(m_pool, values, kvHeads, HeadOrder::HeadMajor, valueCache);
        m_attention.clear();
        for (const BatchItem &item : m_items) {
            const std::size_t first = size(item.firstRow);
            m_attention.push_back({{reinterpret_cast<std::byte *>(keyCache.row(first)),
                                    reinterpret_cast<std::byte *>(valueCache.row(first)),
                                    DType::F32, kvHeads, T, dim, valueDim},
                                   first,
                                   size(item.rows),
                                   0});
        }
        cpu::attention(m_pool, m_attention, queries, shape, sinks, to);
    });
}

} // namespace fireside::cpu
