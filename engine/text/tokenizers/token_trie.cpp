#include "engine/text/tokenizers/token_trie.h"

#include "engine/core/error.h"

namespace fireside {
namespace {

constexpr std::size_t kMaxTrieNodes = std::size_t{1} << 24; // a key has 24 bits for them

} // namespace

TokenTrie::TokenTrie()
    : m_slots(1024)
    , m_mask(m_slots.size() - 1)
    , m_tokens{-1}
{}

void TokenTrie::put(Slot slot)
{
    std::size_t i = slotOf(slot.key);
    while (m_slots[i].child != 0)
        i = (i + 1) & m_mask;
    m_slots[i] = slot;
}

void TokenTrie::insert(std::string_view text, TokenId id)
{
    Node node = kRoot;
    for (const char byte : text) {
        Node next = child(node, byte);
        if (next == kNone) {
            if (m_tokens.size() >= kMaxTrieNodes)
                throwBadInput("the vocabulary's texts need more than " +
                              std::to_string(kMaxTrieNodes) + " nodes");
            next = static_cast<Node>(m_tokens.size());
            m_tokens.push_back(-1);
            if (2 * m_tokens.size() > m_slots.size()) {
                std::vector<Slot> old(2 * m_slots.size());
                old.swap(m_slots);
                m_mask = m_slots.size() - 1;
                for (const Slot slot : old)
                    if (slot.child != 0)
                        put(slot);
            }
            put({keyOf(node, byte), next});
        }
        node = next;
    }
    if (node != kRoot)
        m_tokens[node] = id;
}

TokenTrie::Node TokenTrie::walk(Node from, std::string_view text) const
{
    for (std::size_t i = 0; i < text.size() && from != kNone; ++i)
        from = child(from, text[i]);
    return from;
}

} // namespace fireside
