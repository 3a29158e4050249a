#include "engine/convert/folder_rules.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/tensor/blocks.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

namespace fireside {
namespace {

std::uint64_t productOf(std::span<const std::uint64_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

[[noreturn]] void refuse(const Converted &t, const char *why)
{
    throwBadInput("tensor " + fireside::quoted(t.name) + ' ' + why);
}

void requireRank(const Converted &t, std::size_t rank)
{
    if (t.shape.size() < rank)
        refuse(t, "has too few dimensions");
}

/// Of so many neighbours that move together.
std::size_t bytesOf(const Converted &t, std::uint64_t elements)
{
    if (elements % info(t.type).blockElements != 0)
        throwUnsupported("tensor " + fireside::quoted(t.name) +
                         ": not supported: another order of columns of " + name(t.type));
    return rowBytes(t.type, static_cast<std::size_t>(elements));
}

/// Index i of one dimension becomes what was index from(i); `count` of them are left.
void take(Converted &t, std::size_t axis, std::uint64_t count,
          const std::function<std::uint64_t(std::uint64_t)> &from)
{
    const std::span<const std::uint64_t> shape = t.shape;
    const std::uint64_t outer = productOf(shape.first(axis)), had = shape[axis];
    const std::size_t inner = bytesOf(t, productOf(shape.subspan(axis + 1)));
    for (std::uint64_t i = 0; i < count; ++i)
        if (from(i) >= had)
            refuse(t, "has too few rows");
    if (!t.bytes.empty()) {
        std::vector<std::byte> out(outer * count * inner);
        for (std::uint64_t o = 0; o < outer; ++o)
            for (std::uint64_t i = 0; i < count; ++i)
                std::memcpy(&out[(o * count + i) * inner], &t.bytes[(o * had + from(i)) * inner],
                            inner);
        t.bytes = std::move(out);
    }
    t.shape[axis] = count;
}

/// Rows of a matrix, numbers of a bias.
std::size_t rowAxis(const Converted &t)
{
    const bool bias = t.shape.size() == 1 || t.name.ends_with("bias");
    requireRank(t, 1);
    return t.shape.size() - (bias ? 1 : 2);
}

/// Within each head, row r and row r + D/2 become rows 2r and 2r + 1.
void interleave(Converted &t, std::uint64_t heads)
{
    const std::uint64_t rows = t.shape[rowAxis(t)];
    if (heads == 0 || rows == 0 || rows % (2 * heads) != 0)
        refuse(t, "has rows that are no whole heads");
    const std::uint64_t D = rows / heads;
    take(t, rowAxis(t), rows, [D](std::uint64_t row) {
        const std::uint64_t r = row % D;
        return row / D * D + r % 2 * (D / 2) + r / 2;
    });
}

void takeRows(Converted &t, std::uint64_t step, std::uint64_t start, std::uint64_t parts)
{
    take(t, rowAxis(t), t.shape[rowAxis(t)] / parts,
         [=](std::uint64_t i) { return start + i * step; });
}

} // namespace

std::uint64_t Converted::elements() const
{
    return productOf(shape);
}

std::span<float> asFloats(Converted &t)
{
    if (t.type != DType::F32 && !t.bytes.empty()) {
        const std::size_t count = static_cast<std::size_t>(t.elements());
        std::vector<std::byte> made(4 * count);
        dequantizeRow(t.type, t.bytes.data(), reinterpret_cast<float *>(made.data()), count);
        t.bytes = std::move(made);
    }
    t.type = DType::F32;
    return {reinterpret_cast<float *>(t.bytes.data()), t.bytes.size() / 4};
}

void takeRowsBy(Converted &t, std::size_t axis, const std::vector<std::uint64_t> &from)
{
    requireRank(t, axis + 1);
    take(t, axis, from.size(), [&](std::uint64_t i) { return from[i]; });
}

void interleaveQueries(Converted &t, const SourceNumbers &source)
{
    interleave(t, source.heads);
}

void interleaveKeys(Converted &t, const SourceNumbers &source)
{
    interleave(t, source.kvHeads);
}

void addOne(Converted &t, const SourceNumbers & /*source*/)
{
    changeNumbers(t, [](float v, std::size_t) { return v + 1; });
}

void squeeze(Converted &t, const SourceNumbers & /*source*/)
{
    std::erase(t.shape, 1u);
    if (t.shape.empty())
        t.shape.push_back(1);
}

void decay(Converted &t, const SourceNumbers & /*source*/)
{
    changeNumbers(t, [](float v, std::size_t) { return -std::exp(v); });
}

void transpose(Converted &t, const SourceNumbers & /*source*/)
{
    if (t.byOutputs)
        return;
    requireRank(t, 2);
    const std::size_t last = t.shape.size() - 1, size = bytesOf(t, 1);
    const std::uint64_t rows = t.shape[last - 1], cols = t.shape[last];
    std::swap(t.shape[last - 1], t.shape[last]);
    const std::vector<std::byte> in = t.bytes;
    if (in.empty())
        return;
    const std::uint64_t depth = t.elements() / (rows * cols);
    for (std::uint64_t d = 0; d < depth; ++d)
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < cols; ++c)
                std::memcpy(&t.bytes[((d * cols + c) * rows + r) * size],
                            &in[((d * rows + r) * cols + c) * size], size);
}

void firstHalf(Converted &t, const SourceNumbers & /*source*/)
{
    takeRows(t, 1, 0, 2);
}

void secondHalf(Converted &t, const SourceNumbers & /*source*/)
{
    takeRows(t, 1, t.shape[rowAxis(t)] / 2, 2);
}

void evenRowsOf(Converted &t, const SourceNumbers & /*source*/)
{
    takeRows(t, 2, 0, 2);
}

void oddRowsOf(Converted &t, const SourceNumbers & /*source*/)
{
    takeRows(t, 2, 1, 2);
}

void transposedFirstHalf(Converted &t, const SourceNumbers &source)
{
    transpose(t, source);
    firstHalf(t, source);
}

void transposedSecondHalf(Converted &t, const SourceNumbers &source)
{
    transpose(t, source);
    secondHalf(t, source);
}

void transposedEven(Converted &t, const SourceNumbers &source)
{
    transpose(t, source);
    evenRowsOf(t, source);
}

void transposedOdd(Converted &t, const SourceNumbers &source)
{
    transpose(t, source);
    oddRowsOf(t, source);
}

void apartQkv(Converted &t, const SourceNumbers &source)
{
    const std::uint64_t rows = t.shape[rowAxis(t)];
    if (source.kvHeads == 0 || source.heads % source.kvHeads != 0 ||
        rows % (source.heads + 2 * source.kvHeads) != 0)
        refuse(t, "has rows that are no whole heads");
    const std::uint64_t queries = source.heads / source.kvHeads; // of one head of keys
    const std::uint64_t D = rows / (source.heads + 2 * source.kvHeads);
    std::vector<std::uint64_t> order;
    const auto append = [&](std::uint64_t kvHead, std::uint64_t place) {
        for (std::uint64_t d = 0; d < D; ++d)
            order.push_back((kvHead * (queries + 2) + place) * D + d);
    };
    for (std::uint64_t h = 0; h < source.heads; ++h)
        append(h / queries, h % queries);
    for (const std::uint64_t part : {queries, queries + 1})
        for (std::uint64_t h = 0; h < source.kvHeads; ++h)
            append(h, part);
    takeRowsBy(t, rowAxis(t), order);
}

namespace {

/// Of all q, all k, all v: the rows of one of them.
void takePart(Converted &t, const SourceNumbers &source, int part)
{
    const std::uint64_t rows = t.shape[rowAxis(t)], heads = source.heads + 2 * source.kvHeads;
    if (heads == 0 || rows % heads != 0)
        refuse(t, "has rows that are no whole heads");
    const std::uint64_t D = rows / heads;
    const std::uint64_t q = source.heads * D, kv = source.kvHeads * D;
    const std::uint64_t first = part == 0 ? 0 : part == 1 ? q : q + kv;
    take(t, rowAxis(t), part == 0 ? q : kv, [=](std::uint64_t i) { return first + i; });
}

} // namespace

void queriesInPairs(Converted &t, const SourceNumbers &source)
{
    takePart(t, source, 0);
    interleaveQueries(t, source);
}

void keysInPairs(Converted &t, const SourceNumbers &source)
{
    takePart(t, source, 1);
    interleaveKeys(t, source);
}

void valuesOnly(Converted &t, const SourceNumbers &source)
{
    takePart(t, source, 2);
}

void apartQueriesInPairs(Converted &t, const SourceNumbers &source)
{
    apartQkv(t, source);
    queriesInPairs(t, source);
}

void apartKeysInPairs(Converted &t, const SourceNumbers &source)
{
    apartQkv(t, source);
    keysInPairs(t, source);
}

void apartValues(Converted &t, const SourceNumbers &source)
{
    apartQkv(t, source);
    valuesOnly(t, source);
}

void interleaveBySize(Converted &t, const SourceNumbers &source)
{
    const std::uint64_t size = source.heads > 0 ? source.at("hidden_size") / source.heads : 0;
    interleave(t, size > 0 ? t.shape[rowAxis(t)] / size : 0);
}

namespace {

/// Rows or columns of length 1.
void makeUnits(Converted &t, bool byRows)
{
    requireRank(t, 2);
    const std::span<float> values = asFloats(t);
    const auto rows = static_cast<std::size_t>(t.shape[0]);
    const auto cols = static_cast<std::size_t>(t.shape[1]);
    std::vector<double> squares(byRows ? rows : cols);
    for (std::size_t i = 0; i < values.size(); ++i)
        squares[byRows ? i / cols : i % cols] += double{values[i]} * double{values[i]};
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const double square = squares[byRows ? i / cols : i % cols]; square > 0)
            values[i] = static_cast<float>(double{values[i]} / std::sqrt(square));
}

} // namespace

void unitRows(Converted &t, const SourceNumbers & /*source*/)
{
    makeUnits(t, true);
}

void unitColumns(Converted &t, const SourceNumbers & /*source*/)
{
    makeUnits(t, false);
}

void expertsApart(Converted &t, const SourceNumbers &source)
{
    const std::uint64_t experts = source.at("moe_num_experts");
    if (t.shape.size() != 2 || experts == 0 || t.shape[0] % experts != 0)
        refuse(t, "does not divide into the experts");
    t.shape = {experts, t.shape[0] / experts, t.shape[1]};
}

void expertsApartTransposed(Converted &t, const SourceNumbers &source)
{
    expertsApart(t, source);
    transpose(t, source);
}

namespace {

/// [H·(plain + value), rank] → [H, plain + value, rank]
void splitHeads(Converted &t, const SourceNumbers &source)
{
    if (t.shape.size() != 2 || source.heads == 0 || t.shape[0] % source.heads != 0)
        refuse(t, "has rows that are no whole heads");
    t.shape = {source.heads, t.shape[0] / source.heads, t.shape[1]};
}

} // namespace

void latentKeys(Converted &t, const SourceNumbers &source)
{
    splitHeads(t, source);
    take(t, 1, source.at("qk_nope_head_dim"), [](std::uint64_t i) { return i; });
    transpose(t, source);
}

void latentValues(Converted &t, const SourceNumbers &source)
{
    splitHeads(t, source);
    const auto plain = source.at("qk_nope_head_dim");
    take(t, 1, source.at("v_head_dim"), [plain](std::uint64_t i) { return plain + i; });
}

} // namespace fireside
