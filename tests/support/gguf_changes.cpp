#include "tests/support/gguf_rules.h"

#include <cmath>
#include <functional>
#include <numeric>

namespace fireside::test {
namespace {

std::uint64_t productOf(std::span<const std::uint64_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

/// Index i of one dimension becomes what was index from(i); `count` of them are left.
void take(Converted &t, std::size_t axis, std::uint64_t count,
          const std::function<std::uint64_t(std::uint64_t)> &from)
{
    const std::span<const std::uint64_t> shape = t.shape;
    const std::uint64_t outer = productOf(shape.first(axis)), had = shape[axis];
    const std::uint64_t inner = productOf(shape.subspan(axis + 1));
    std::vector<float> out(outer * count * inner);
    for (std::uint64_t o = 0; o < outer; ++o)
        for (std::uint64_t i = 0; i < count; ++i)
            for (std::uint64_t k = 0; k < inner; ++k)
                out[(o * count + i) * inner + k] = t.values[(o * had + from(i)) * inner + k];
    t.values = std::move(out);
    t.shape[axis] = count;
}

/// Rows of a matrix, numbers of a bias.
std::size_t rowAxis(const Converted &t)
{
    const bool bias = t.shape.size() == 1 || t.name.ends_with("bias");
    return t.shape.size() - (bias ? 1 : 2);
}

/// Within each head, row r and row r + D/2 become rows 2r and 2r + 1.
void interleave(Converted &t, std::uint64_t heads)
{
    const std::uint64_t rows = t.shape[rowAxis(t)], D = rows / heads;
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
    for (float &v : t.values)
        v += 1;
}

void squeeze(Converted &t, const SourceNumbers & /*source*/)
{
    std::erase(t.shape, 1u);
}

void decay(Converted &t, const SourceNumbers & /*source*/)
{
    for (float &v : t.values)
        v = -std::exp(v);
}

void transpose(Converted &t, const SourceNumbers & /*source*/)
{
    const std::size_t last = t.shape.size() - 1;
    const std::uint64_t rows = t.shape[last - 1], cols = t.shape[last];
    const std::uint64_t depth = t.values.size() / (rows * cols);
    const std::vector<float> in = t.values;
    for (std::uint64_t d = 0; d < depth; ++d)
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < cols; ++c)
                t.values[(d * cols + c) * rows + r] = in[(d * rows + r) * cols + c];
    std::swap(t.shape[last - 1], t.shape[last]);
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
    const std::uint64_t queries = source.heads / source.kvHeads; // of one head of keys
    const std::uint64_t rows = t.shape[rowAxis(t)];
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
    take(t, rowAxis(t), rows, [&](std::uint64_t i) { return order[i]; });
}

namespace {

/// [H·(plain + value), rank] → [H, plain + value, rank]
void splitHeads(Converted &t, const SourceNumbers &source)
{
    t.shape = {source.heads, t.shape[0] / source.heads, t.shape[1]};
}

} // namespace

void latentKeys(Converted &t, const SourceNumbers &source)
{
    splitHeads(t, source);
    take(t, 1, source.config.at("qk_nope_head_dim").get<std::uint64_t>(),
         [](std::uint64_t i) { return i; });
    transpose(t, source);
}

void latentValues(Converted &t, const SourceNumbers &source)
{
    splitHeads(t, source);
    const auto plain = source.config.at("qk_nope_head_dim").get<std::uint64_t>();
    take(t, 1, source.config.at("v_head_dim").get<std::uint64_t>(),
         [plain](std::uint64_t i) { return plain + i; });
}

} // namespace fireside::test
