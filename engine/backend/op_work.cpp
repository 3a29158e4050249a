#include "engine/backend/op_work.h"

#include "engine/backend/op.h"

#include <algorithm>

namespace fireside {
namespace {

/// `matrices` of a weight read once, each row of x times one of them.
OpWork product(const Weight *weight, std::int64_t rows, std::int64_t matrices = 1)
{
    if (weight == nullptr || rows == 0)
        return {};
    const auto cols = static_cast<std::size_t>(weight->cols);
    OpWork work;
    work.bytes = static_cast<double>(rowBytes(weight->dtype, cols)) *
                 static_cast<double>(weight->rows * matrices);
    work.floatBytes = isFloatType(weight->dtype) ? work.bytes : 0;
    (isFloatType(weight->dtype) ? work.floatProducts : work.byteProducts) =
        static_cast<double>(rows * weight->rows) * static_cast<double>(weight->cols);
    return work;
}

/// Keys that the query at place `position` of `keys` sees.
std::int64_t seen(const AttentionShape &shape, std::int64_t position, std::int64_t keys)
{
    if (!shape.causal)
        return shape.window > 0 ? std::min(keys, shape.window + 1) : keys;
    if (shape.chunk > 0)
        return position % shape.chunk + 1;
    return shape.window > 0 ? std::min(position + 1, shape.window) : position + 1;
}

OpWork attend(const AttentionShape &shape, std::int64_t past, std::int64_t rows)
{
    double pairs = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        pairs += static_cast<double>(seen(shape, past + i, past + rows));
    OpWork work;
    work.floatProducts =
        pairs * static_cast<double>(shape.heads * (shape.headDim + shape.values()));
    return work;
}

/// Bytes of an item's cache from the first key that any of its rows sees.
double cacheBytes(const AttentionShape &shape, const BatchItem &item, std::int64_t layer)
{
    if (layer < 0 || layer >= static_cast<std::int64_t>(item.cache.size()) || item.rows == 0)
        return 0;
    const KvLayer &kv = item.cache[static_cast<std::size_t>(layer)];
    const std::int64_t keys =
        std::min(item.past + item.rows, seen(shape, item.past, item.past + item.rows) + item.rows);
    const DTypeInfo &type = info(kv.dtype);
    const std::int64_t numbers = kv.headDim + (kv.values != nullptr ? kv.valueDim : 0);
    return static_cast<double>(kv.kvHeads * keys * numbers) * type.blockBytes / type.blockElements;
}

template <typename AnyOp>
OpWork work(const AnyOp & /*moves or changes activations*/, const op::PassRows & /*pass*/)
{
    return {};
}

OpWork work(const op::Linear &op, const op::PassRows & /*pass*/)
{
    OpWork sum;
    for (const LinearTarget &target : op.targets)
        sum += product(target.weight, op.input.x.rows);
    return sum;
}

OpWork work(const op::GatedLinear &op, const op::PassRows & /*pass*/)
{
    OpWork sum = product(op.weights.gate, op.input.x.rows);
    return sum += product(op.weights.up, op.input.x.rows);
}

OpWork work(const op::ExpertGatedLinear &op, const op::PassRows & /*pass*/)
{
    const std::int64_t choices = op.ids.rows * op.ids.cols;
    const std::int64_t experts = op.weights.up != nullptr ? op.weights.up->depth : 0;
    OpWork sum = product(op.weights.gate, choices, std::min(choices, experts));
    return sum += product(op.weights.up, choices, std::min(choices, experts));
}

OpWork work(const op::ExpertLinear &op, const op::PassRows & /*pass*/)
{
    const std::int64_t choices = op.ids.rows * op.ids.cols;
    return product(&op.down, choices, std::min(choices, op.down.depth));
}

OpWork work(const op::HeadLinear &op, const op::PassRows & /*pass*/)
{
    return product(&op.weight, op.x.rows * op.weight.depth, op.weight.depth);
}

OpWork work(const op::BatchedProduct &op, const op::PassRows & /*pass*/)
{
    const BatchShape &s = op.shape;
    OpWork work;
    work.floatProducts = static_cast<double>(s.batch * s.m) * static_cast<double>(s.n * s.k);
    return work;
}

OpWork work(const op::Attention &op, const op::PassRows &pass)
{
    OpWork sum;
    for (const BatchItem &item : pass.items) {
        sum += attend(op.shape, item.past, item.rows);
        sum.bytes += cacheBytes(op.shape, item, op.layer);
    }
    return sum;
}

OpWork work(const op::ExpandedAttention &op, const op::PassRows &pass)
{
    OpWork sum;
    for (const BatchItem &item : pass.items) {
        const std::int64_t keys = (item.past + item.rows) * op.shape.heads;
        sum += attend(op.shape, item.past, item.rows);
        sum.bytes += cacheBytes(op.shape, item, op.layer);
        sum += product(&op.keys, keys, op.keys.depth);
        sum += product(&op.values, keys, op.values.depth);
    }
    return sum;
}

OpWork work(const op::SequenceAttention &op, const op::PassRows &pass)
{
    OpWork sum;
    for (const BatchItem &item : pass.items)
        sum += attend(op.shape, 0, item.rows);
    return sum;
}

} // namespace

OpWork &OpWork::operator+=(const OpWork &more)
{
    bytes += more.bytes;
    byteProducts += more.byteProducts;
    floatProducts += more.floatProducts;
    floatBytes += more.floatBytes;
    return *this;
}

OpWork workOf(const Op &op, const op::PassRows &pass)
{
    return std::visit([&](const auto &each) { return work(each, pass); },
                      static_cast<const Op::variant &>(op));
}

} // namespace fireside
