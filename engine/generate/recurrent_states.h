#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fireside {

/// The recurrent states of one session's layers, and copies of them as they were after earlier
/// tokens: tokens cannot be taken out of a state again. Owner.
class RecurrentStates
{
public:
    struct Layer
    {
        Device *device = nullptr;
        std::int64_t numbers = 0; // 0: a layer without a state
    };
    /// Keeps at most `most` copies. Error(Memory).
    RecurrentStates(std::vector<Layer> layers, std::size_t most);

    bool any() const { return m_bytes > 0; }
    Buffer *of(std::size_t layer) const { return m_states[layer].get(); } // null without
    std::size_t bytes() const;                                            // of states and copies

    /// To where the states can go back so that they have seen no more than `tokens` tokens; they
    /// are there after the next begin(). Without states just `tokens`.
    std::size_t goBack(std::size_t tokens);
    /// Before a pass changes them: goes back where that was asked for.
    void begin();
    /// Keeps a copy, the states having seen `tokens` tokens. When there are too many, the least
    /// useful one is dropped; where there is no memory for one more, the limit is lowered.
    void save(std::size_t tokens);
    std::size_t lastSaved() const { return m_saved.empty() ? 0 : m_saved.back().tokens; }
    /// The tokens that the newest copy has seen which has seen no more than `tokens`; 0: none.
    std::size_t savedBefore(std::size_t tokens) const;
    /// Copies the states of another session with the same layers as they are now.
    void copyFrom(const RecurrentStates &other);
    /// The same with the other's copy after `saved` tokens (savedBefore()), which becomes a copy
    /// here, too.
    void copyFrom(const RecurrentStates &other, std::size_t saved);

    std::size_t bytesOfOne() const { return m_bytes; } // of the states at one time
    /// The tokens that the copies have seen, rising.
    std::vector<std::size_t> savedAt() const;
    /// Those of `saved` (rising) without which going back costs most, `most` of them at most; the
    /// last one always stays.
    static std::vector<std::size_t> mostUseful(std::vector<std::size_t> saved, std::size_t most);
    /// One of these copies to the host, layer by layer.
    std::vector<std::byte> read(std::size_t tokens) const;
    /// The states become what read() gave, having seen `tokens` tokens, more than any copy has.
    void restore(std::size_t tokens, std::span<const std::byte> bytes);

private:
    struct Copy
    {
        std::size_t tokens = 0;
        std::vector<std::unique_ptr<Buffer>> parts; // one for each device
    };
    /// Consecutive layers on one device, whose copies lie in one buffer.
    struct Part
    {
        Device *device = nullptr;
        std::size_t first = 0, end = 0; // layers
        std::size_t bytes = 0;
    };
    enum class Way { Save, Restore };
    static std::size_t bytesOf(const Layer &layer);
    void zero();
    const Copy &copyAt(std::size_t tokens) const;
    std::optional<Copy> memoryForCopy(std::size_t tokens);
    /// Between the states of `live` and a copy.
    void move(const RecurrentStates &live, const Copy &copy, Way way) const;

    std::vector<Layer> m_layers;
    std::size_t m_most;
    std::size_t m_bytes = 0; // of one copy
    std::vector<Part> m_parts;
    std::vector<std::unique_ptr<Buffer>> m_states; // of each layer
    std::vector<Copy> m_saved;                     // the oldest first
    std::vector<Copy> m_spare;                     // memory that can be used again
    std::optional<std::size_t> m_back;             // where begin() is to go
};

} // namespace fireside
