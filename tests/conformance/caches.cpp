#include "tests/conformance/caches.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fireside::conformance {
namespace {

constexpr std::size_t kBlock = 32; // values of a scale in Q8_0

std::size_t asSize(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

template <class T>
T loaded(const std::byte *from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T>
void stored(T value, std::byte *to)
{
    std::memcpy(to, &value, sizeof value);
}

/// Where a row of Q8_0 has its scale and numbers: blocks of GGUF on the CPU; on GPUs all numbers
/// come first, then all scales.
struct Q8Row
{
    std::size_t dim;
    bool inBlocks;
    std::size_t scale(std::size_t i) const
    {
        return inBlocks ? i / kBlock * 34 : dim + i / kBlock * 2;
    }
    std::size_t number(std::size_t i) const
    {
        return inBlocks ? i / kBlock * 34 + 2 + i % kBlock : i;
    }
};

void encodeRow(DType type, bool inBlocks, const double *x, std::size_t dim, std::byte *to)
{
    const Q8Row row{dim, inBlocks};
    for (std::size_t i = 0; i < dim; ++i)
        if (type == DType::F32) {
            stored(static_cast<float>(x[i]), to + 4 * i);
        } else if (type == DType::F16) {
            stored(floatToHalf(static_cast<float>(x[i])), to + 2 * i);
        } else {
            const double *const block = x + i / kBlock * kBlock;
            double most = 0;
            for (std::size_t j = 0; j < kBlock; ++j)
                most = std::max(most, std::fabs(block[j]));
            const double number = most > 0 ? std::nearbyint(x[i] * 127 / most) : 0;
            stored(floatToHalf(static_cast<float>(most / 127)), to + row.scale(i));
            stored(static_cast<std::int8_t>(number), to + row.number(i));
        }
}

void decodeRow(DType type, bool inBlocks, const std::byte *from, std::size_t dim, float *x)
{
    const Q8Row row{dim, inBlocks};
    for (std::size_t i = 0; i < dim; ++i)
        if (type == DType::F32)
            x[i] = loaded<float>(from + 4 * i);
        else if (type == DType::F16)
            x[i] = halfToFloat(loaded<std::uint16_t>(from + 2 * i));
        else
            x[i] = static_cast<float>(loaded<std::int8_t>(from + row.number(i))) *
                   halfToFloat(loaded<std::uint16_t>(from + row.scale(i)));
}

} // namespace

TestCache::TestCache(Bench &bench, DType type, std::int64_t kvHeads, std::int64_t headDim,
                     std::int64_t valueDim, std::int64_t capacity, bool latent)
    : m_latent(latent)
{
    m_layer.dtype = type;
    m_layer.kvHeads = kvHeads;
    m_layer.capacity = capacity + capacity % 2; // whole words in all
    m_layer.headDim = headDim;
    m_layer.valueDim = valueDim;
    const auto allocate = [&](Half &half, std::int64_t dim, const char *what) {
        half.dim = dim;
        half.buffer = bench.target().device().allocate(
            asSize(kvHeads * m_layer.capacity) * rowBytes(type, asSize(dim)), what);
    };
    allocate(m_keys, headDim, "keys of a test");
    if (latent)
        m_values.dim = valueDim;
    else
        allocate(m_values, valueDim, "values of a test");
    m_layer.keys = m_keys.buffer.get();
    m_layer.values = m_values.buffer.get();
}

std::vector<double> TestCache::rounded(const std::vector<double> &x) const
{
    std::vector<double> out = x;
    if (m_layer.dtype == DType::F16)
        for (double &v : out)
            v = reference::roundToHalf(v);
    if (m_layer.dtype == DType::Q8_0)
        return reference::roundToQ8_0(std::vector<float>(x.begin(), x.end()));
    return out;
}

void TestCache::note(Half &half, const std::vector<double> &x)
{
    const auto values = rounded(x);
    half.exact.insert(half.exact.end(), x.begin(), x.end());
    half.rounded.insert(half.rounded.end(), values.begin(), values.end());
}

void TestCache::note(const std::vector<double> &k, const std::vector<double> &v)
{
    const std::int64_t D = m_layer.headDim, first = m_length;
    note(m_keys, k);
    m_length += static_cast<std::int64_t>(k.size()) / (m_layer.kvHeads * D);
    if (!m_latent) {
        note(m_values, v);
        return;
    }
    for (std::int64_t t = first; t < m_length; ++t) {
        const auto row = m_keys.rounded.begin() + t * D;
        m_values.rounded.insert(m_values.rounded.end(), row, row + m_values.dim);
    }
}

Tensor TestCache::words(const Half &half) const
{
    const std::size_t bytes =
        asSize(m_layer.kvHeads * m_layer.capacity) * rowBytes(m_layer.dtype, asSize(half.dim));
    const auto count = static_cast<std::int64_t>(bytes / sizeof(std::int32_t));
    return {half.buffer.get(), 0, DType::I32, 1, count, count};
}

std::size_t TestCache::rowStart(const Half &half, std::int64_t head, std::int64_t token) const
{
    return asSize(head * m_layer.capacity + token) * rowBytes(m_layer.dtype, asSize(half.dim));
}

void TestCache::fill(Bench &bench, std::int64_t count)
{
    bench.finish();
    const std::int64_t G = m_layer.kvHeads;
    const Matrix k = bench.numbers(count, G * m_keys.dim),
                 v = bench.numbers(count, G * m_values.dim);
    note(doubles(k), doubles(v));
    m_keys.exact = m_keys.rounded;
    m_values.exact = m_values.rounded;
    write(bench, m_keys);
    if (!m_latent)
        write(bench, m_values);
}

void TestCache::write(Bench &bench, const Half &half)
{
    const Tensor memory = words(half);
    std::vector<std::int32_t> image(asSize(memory.cols));
    auto *const bytes = reinterpret_cast<std::byte *>(image.data());
    for (std::int64_t t = 0; t < m_length; ++t)
        for (std::int64_t g = 0; g < m_layer.kvHeads; ++g)
            encodeRow(m_layer.dtype, bench.target().isCpu(),
                      half.rounded.data() + (t * m_layer.kvHeads + g) * half.dim, asSize(half.dim),
                      bytes + rowStart(half, g, t));
    Commands &c = bench.target().commands();
    const BatchPlan plan = BatchPlan::plain(1);
    c.begin(plan.batch());
    c.upload(image, memory);
    c.sync();
}

void TestCache::check(Bench &bench, double tolerance)
{
    try {
        check(bench, m_keys, tolerance);
        if (!m_latent)
            check(bench, m_values, tolerance);
    } catch (const Error &error) {
        bench.fail(std::string("reading the cache threw: ") + error.what());
    }
}

void TestCache::check(Bench &bench, const Half &half, double tolerance)
{
    const Tensor memory = words(half);
    std::vector<std::int32_t> image(asSize(memory.cols));
    bench.target().commands().read(memory, image);
    const auto *const bytes = reinterpret_cast<const std::byte *>(image.data());
    std::vector<float> actual(half.exact.size());
    for (std::int64_t g = 0; g < m_layer.kvHeads; ++g) {
        for (std::int64_t t = 0; t < m_length; ++t)
            decodeRow(m_layer.dtype, bench.target().isCpu(), bytes + rowStart(half, g, t),
                      asSize(half.dim), actual.data() + (t * m_layer.kvHeads + g) * half.dim);
        const std::byte *const end = bytes + rowStart(half, g, m_layer.capacity);
        const std::byte *const changed = std::find_if(bytes + rowStart(half, g, m_length), end,
                                                      [](std::byte b) { return b != std::byte{}; });
        if (changed != end)
            bench.fail("the cache was written beyond its " + std::to_string(m_length) +
                       " tokens, for kv head " + std::to_string(g));
    }
    if (m_layer.dtype == DType::Q8_0)
        checkBlocks(bench, half, actual);
    else
        bench.compare(actual, half.dim, half.exact,
                      m_layer.dtype == DType::F16 ? tolerance + 5e-4 : tolerance);
}

/// What Q8_0 means, without saying how it is done: of 32 numbers the largest decides the step, and
/// none is further than half a step from what it was. The step itself is rounded to F16.
void TestCache::checkBlocks(Bench &bench, const Half &half, const std::vector<float> &actual)
{
    constexpr double kStepError = 1.0 / 2048, kLeastError = 1.0 / (1 << 25), kSlack = 2e-3;
    for (std::size_t block = 0; block < actual.size(); block += kBlock) {
        double most = 0;
        for (std::size_t i = block; i < block + kBlock; ++i)
            most = std::max(most, std::fabs(half.exact[i]));
        const double step = most / 127;
        for (std::size_t i = block; i < block + kBlock; ++i) {
            const double is = static_cast<double>(actual[i]), was = half.exact[i];
            const double stepError = std::max(step * kStepError, kLeastError);
            const double allowed =
                (0.5 + kSlack) * step + 1.01 * stepError * std::fabs(step > 0 ? was / step : 0);
            if (std::fabs(is - was) <= allowed)
                continue;
            bench.fail("element " + std::to_string(i) + " of the cache is " + std::to_string(is) +
                       " instead of " + std::to_string(was) + ", further than half a step of " +
                       std::to_string(step));
            return;
        }
    }
}

std::vector<float> frequencies(std::int64_t pairs, double base)
{
    std::vector<float> f;
    for (std::int64_t i = 0; i < pairs; ++i)
        f.push_back(static_cast<float>(
            std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs))));
    return f;
}

} // namespace fireside::conformance
