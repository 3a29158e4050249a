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

    /// Puts `rows` random tokens at the end, by passes of their own without any transform.
    void fill(Bench &bench, std::int64_t rows);
    /// Notes tokens that an op appends: k [rows, Hkv·D], v [rows, Hkv·Dv].
    void note(const std::vector<double> &k, const std::vector<double> &v);
    /// Back to its first tokens.
    void truncate(std::int64_t length);

    /// What lies there, rounded as the cache rounds: [length, Hkv, D] and [length, Hkv, Dv].
    const std::vector<double> &keys() const { return m_keys; }
    const std::vector<double> &values() const { return m_values; }

    /// Compares the device's memory with keys() and values(); what is beyond them must be as it
    /// was allocated: zero. For F32 and F16 caches.
    void check(Bench &bench, double tolerance);

private:
    std::vector<double> rounded(const std::vector<double> &x) const;

    std::unique_ptr<Buffer> m_keyBuffer, m_valueBuffer;
    KvLayer m_layer;
    std::int64_t m_length = 0;
    bool m_latent = false;
    std::vector<double> m_keys, m_values;
};

std::vector<float> frequencies(std::int64_t pairs, double base = 10000);

} // namespace fireside::conformance
