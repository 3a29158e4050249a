#pragma once
#include "engine/generate/recurrent_states.h"
#include "engine/model/model.h"

#include <memory>
#include <span>
#include <vector>

namespace fireside {

/// What one session keeps of each layer, on the device that computes it: keys and values, whose
/// memory is taken in growing blocks, so that a short chat does not pay for a long context, and
/// recurrent states. Owner.
class KvCache
{
public:
    static constexpr int kFirstTokens = 256; // allocated at first, if the capacity is as large

    /// Error(Memory) with the numbers; Error(Unsupported) for Q8_0 with a head size that is no
    /// multiple of 32, or a type other than F32, F16, Q8_0.
    KvCache(const Model &model, int capacity, DType type);

    int capacity() const { return m_capacity; } // tokens, the most there can be
    int allocated() const;                      // tokens that the memory holds now
    DType type() const { return m_type; }
    std::size_t bytes() const; // allocated now
    std::span<const KvLayer> layers() const { return m_layers; }
    RecurrentStates &states() { return m_states; }
    const RecurrentStates &states() const { return m_states; }

    /// Grows the memory to `tokens` (≤ capacity), keeping the first `used` ones; what layers() gave
    /// before has changed then. Error(Memory) leaves the cache as it was for what it can hold.
    void reserve(const Model &model, std::size_t tokens, std::size_t used);
    /// Takes over the other cache's first `length` tokens: all that its states have seen (`all`),
    /// or as many as one of their copies has. Both belong to the same model.
    void copyFrom(const KvCache &other, const Model &model, std::size_t length, bool all);

    /// Bytes of one token's keys and values in all layers.
    std::size_t tokenBytes() const;
    /// Tokens [from, from + count) to the host and back, as in KeptTokens::rows; `rows` has
    /// count · tokenBytes(). Before write() there must be room for them.
    void read(const Model &model, std::size_t from, std::size_t count,
              std::span<std::byte> rows) const;
    /// The rows are those of `held` tokens, of which those from `skip` on are taken.
    void write(const Model &model, std::size_t from, std::size_t count,
               std::span<const std::byte> rows, std::size_t held, std::size_t skip);

    struct Memory // of a layer
    {
        std::unique_ptr<Buffer> keys, values; // null in layers without attention
    };

private:
    std::vector<Memory> takeMemory(const Model &model, std::int64_t tokens) const;
    bool growAtOnce(const Model &model, std::int64_t tokens, std::size_t used);
    Memory allocate(Device &device, const KvLayer &layer, std::int64_t tokens,
                    bool withValues) const;
    std::int64_t roomOf(std::size_t layer) const; // tokens its memory is large enough for
    void growMemory(Device &device, std::size_t layer, std::int64_t least, std::int64_t wanted);

    int m_capacity;
    DType m_type;
    RecurrentStates m_states;
    std::vector<Memory> m_memory; // of each layer
    std::vector<KvLayer> m_layers;
};

} // namespace fireside
