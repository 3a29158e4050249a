#pragma once
#include "engine/model/model.h"

#include <memory>
#include <span>
#include <vector>

namespace fireside {

/// Keys and values of one session, each layer on the device that computes it. Owner.
class KvCache
{
public:
    /// Error(Memory) with the numbers; Error(Unsupported) for Q8_0 with a head size that is no
    /// multiple of 32, or a type other than F32, F16, Q8_0.
    KvCache(const Model &model, int capacity, DType type);

    int capacity() const { return m_capacity; } // tokens
    DType type() const { return m_type; }
    std::size_t bytes() const { return m_bytes; }
    std::span<const KvLayer> layers() const { return m_layers; }

    /// Takes over the other cache's first `length` tokens; both belong to the same model.
    void copyFrom(const KvCache &other, const Model &model, std::size_t length);

private:
    int m_capacity;
    DType m_type;
    std::size_t m_bytes = 0;
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::vector<KvLayer> m_layers;
};

} // namespace fireside
