#pragma once
#include "tests/conformance/bench.h"

#include <memory>
#include <vector>

namespace fireside::conformance {

/// The cache of one session on a device, and what it should hold.
class TestCache
{
public:
    /// A latent cache has one kv head of headDim = rank + r channels and no values of its own.
    TestCache(Bench &bench, DType type, std::int64_t kvHeads, std::int64_t headDim,
              std::int64_t valueDim, std::int64_t capacity, bool latent = false);

    std::span<const KvLayer> layers() const { return {&m_layer, 1}; }
    const KvLayer &layer() const { return m_layer; }
    std::int64_t length() const { return m_length; }

    /// Puts `rows` random tokens at the end, into the device's memory as it is: no op is needed.
    void fill(Bench &bench, std::int64_t rows);
    /// Notes tokens that an op appends: k [rows, Hkv·D], v [rows, Hkv·Dv].
    void note(const std::vector<double> &k, const std::vector<double> &v);

    /// What lies there, rounded as the cache rounds: [length, Hkv, D] and [length, Hkv, Dv].
    const std::vector<double> &keys() const { return m_keys.rounded; }
    const std::vector<double> &values() const { return m_values.rounded; }

    /// Compares the device's memory with what was noted, F32 within `tolerance`, F16 and Q8_0 as
    /// closely as they can be; what is beyond must be as it was allocated: zero.
    void check(Bench &bench, double tolerance);

private:
    struct Half // keys or values
    {
        std::unique_ptr<Buffer> buffer;
        std::int64_t dim = 0;
        std::vector<double> exact, rounded; // [length, Hkv, dim]
    };
    std::vector<double> rounded(const std::vector<double> &x) const;
    void note(Half &half, const std::vector<double> &x);
    Tensor words(const Half &half) const; // all of its memory
    std::size_t rowStart(const Half &half, std::int64_t head, std::int64_t token) const;
    void write(Bench &bench, const Half &half);
    void check(Bench &bench, const Half &half, double tolerance);
    void checkBlocks(Bench &bench, const Half &half, const std::vector<float> &actual);

    KvLayer m_layer;
    std::int64_t m_length = 0;
    bool m_latent = false;
    Half m_keys, m_values;
};

std::vector<float> frequencies(std::int64_t pairs, double base = 10000);

} // namespace fireside::conformance
