#include "tests/conformance/caches.h"

#include "engine/core/error.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_ops.h"

#include <cmath>

namespace fireside::conformance {
namespace {

constexpr std::int64_t kFillRows = 2048; // of one pass

std::size_t bytesOf(DType type, std::int64_t rows, std::int64_t cols)
{
    return static_cast<std::size_t>(rows) * rowBytes(type, static_cast<std::size_t>(cols));
}

} // namespace

TestCache::TestCache(Bench &bench, DType type, std::int64_t kvHeads, std::int64_t headDim,
                     std::int64_t valueDim, std::int64_t capacity, bool latent)
    : m_latent(latent)
{
    Device &device = bench.target().device();
    m_keyBuffer = device.allocate(bytesOf(type, kvHeads * capacity, headDim), "keys of a test");
    if (!latent)
        m_valueBuffer =
            device.allocate(bytesOf(type, kvHeads * capacity, valueDim), "values of a test");
    m_layer.keys = m_keyBuffer.get();
    m_layer.values = m_valueBuffer.get();
    m_layer.dtype = type;
    m_layer.kvHeads = kvHeads;
    m_layer.capacity = capacity;
    m_layer.headDim = headDim;
    m_layer.valueDim = valueDim;
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

void TestCache::note(const std::vector<double> &k, const std::vector<double> &v)
{
    const auto keys = rounded(k);
    m_keys.insert(m_keys.end(), keys.begin(), keys.end());
    const std::int64_t rows =
        static_cast<std::int64_t>(k.size()) / (m_layer.kvHeads * m_layer.headDim);
    if (m_latent) {
        for (std::int64_t t = 0; t < rows; ++t)
            m_values.insert(m_values.end(), keys.begin() + t * m_layer.headDim,
                            keys.begin() + t * m_layer.headDim + m_layer.valueDim);
    } else {
        const auto values = rounded(v);
        m_values.insert(m_values.end(), values.begin(), values.end());
    }
    m_length += rows;
}

void TestCache::truncate(std::int64_t length)
{
    m_length = length;
    m_keys.resize(static_cast<std::size_t>(length * m_layer.kvHeads * m_layer.headDim));
    m_values.resize(static_cast<std::size_t>(length * m_layer.kvHeads * m_layer.valueDim));
}

void TestCache::fill(Bench &bench, std::int64_t count)
{
    const std::int64_t G = m_layer.kvHeads, D = m_layer.headDim, Dv = m_layer.valueDim;
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t rows = std::min(kFillRows, count - done);
        BatchPlan plan;
        plan.item(rows, m_length, layers());
        bench.start(m_latent ? "latentToCache" : "headsToCache", "filling a cache",
                    name(m_layer.dtype), plan);
        if (m_latent) {
            const Matrix latent = bench.numbers(rows, Dv);
            const Matrix part = bench.numbers(rows, D - Dv);
            const Tensor a = bench.in(latent, DType::F32), b = bench.in(part, DType::F32);
            Rope none; // turns by an angle of zero
            none.inverseFrequencies.assign(static_cast<std::size_t>((D - Dv) / 2), 0.0f);
            if (!bench.run([&](Commands &c) { c.latentToCache(a, b, none, 0); }))
                return;
            bench.ignore(b); // may be turned where it lies
            std::vector<double> k;
            for (std::int64_t t = 0; t < rows; ++t) {
                for (std::int64_t i = 0; i < Dv; ++i)
                    k.push_back(static_cast<double>(latent.at(t, i)));
                for (std::int64_t i = 0; i < D - Dv; ++i)
                    k.push_back(static_cast<double>(part.at(t, i)));
            }
            note(k, {});
        } else {
            const Matrix k = bench.numbers(rows, G * D), v = bench.numbers(rows, G * Dv);
            const Tensor q = bench.out(rows, G * D, DType::F32, {0, 0});
            const Tensor keys = bench.in(k, DType::F32, {0, 0});
            const Tensor values = bench.in(v, DType::F32, {0, 0});
            AttentionShape shape;
            shape.heads = shape.kvHeads = G;
            shape.headDim = D;
            shape.valueDim = Dv;
            HeadTransform none;
            none.headDim = D;
            if (!bench.run(
                    [&](Commands &c) { c.headsToCache(q, none, keys, none, values, 0, shape); }))
                return;
            bench.ignore(q);
            bench.ignore(keys);
            note(doubles(k), doubles(v));
        }
        done += rows;
    }
    bench.finish();
}

void TestCache::check(Bench &bench, double tolerance)
{
    if (m_layer.dtype == DType::Q8_0)
        return;
    const auto compare = [&](Buffer *buffer, const std::vector<double> &tokens, std::int64_t dim) {
        const std::int64_t G = m_layer.kvHeads, capacity = m_layer.capacity;
        const Tensor all{buffer, 0, m_layer.dtype, G * capacity, dim, dim};
        std::vector<double> expected(static_cast<std::size_t>(G * capacity * dim), 0.0);
        for (std::int64_t t = 0; t < m_length; ++t)
            for (std::int64_t g = 0; g < G; ++g)
                for (std::int64_t d = 0; d < dim; ++d)
                    expected[static_cast<std::size_t>((g * capacity + t) * dim + d)] =
                        tokens[static_cast<std::size_t>((t * G + g) * dim + d)];
        try {
            bench.compare(bench.read(all), dim, expected, tolerance);
        } catch (const Error &error) {
            bench.fail(std::string("reading the cache threw: ") + error.what());
        }
    };
    compare(m_layer.keys, m_keys, m_layer.headDim);
    if (!m_latent)
        compare(m_layer.values, m_values, m_layer.valueDim);
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
