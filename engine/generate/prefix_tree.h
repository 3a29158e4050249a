#pragma once
#include "engine/generate/kept_tokens.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fireside {

/// A run of tokens that follows on another one, its parent, within or at the end of it.
struct PrefixNode
{
    std::uint64_t id = 0, parent = 0; // parent 0: it begins at the chat's first token
    std::string key{};                // of what computed it; only equal ones belong together
    std::size_t from = 0;
    std::vector<TokenId> tokens{};
    std::vector<std::size_t> states{};          // where there are recurrent states, rising
    std::uint64_t rowBytes = 0, stateBytes = 0; // of all rows; of one state

    std::shared_ptr<const KeptTokens> memory{}; // null: in its file only
    bool onDisk = false, waiting = false;       // to be written
    std::int64_t used = 0;                      // when, in any unit

    std::size_t end() const { return from + tokens.size(); }
    std::uint64_t bytes() const
    {
        return rowBytes + states.size() * stateBytes + tokens.size() * sizeof(TokenId);
    }
};

/// The id of a node, from everything that leads to it.
std::uint64_t prefixId(const std::string &key, std::uint64_t parent, std::size_t from,
                       std::span<const TokenId> tokens);

/// Branches of chats as a tree of runs. Not for several threads at once.
class PrefixTree
{
public:
    /// A node, and where the next one on the way begins, or the way ends.
    struct Step
    {
        std::uint64_t id = 0;
        std::size_t end = 0;
    };
    struct Way
    {
        std::vector<Step> steps{}; // from the chat's first token on
        std::size_t tokens = 0;    // that it has in common with the asked ones
    };
    /// The longest way along `tokens`; with `toState` one that ends where there are states.
    Way find(const std::string &key, std::span<const TokenId> tokens, bool toState = false) const;

    /// False when its parent is not there or does not reach it, or it is there already.
    bool add(PrefixNode node);
    PrefixNode *node(std::uint64_t id);
    const PrefixNode *node(std::uint64_t id) const;
    /// With all that follow on it; tells each.
    void erase(std::uint64_t id, const std::function<void(const PrefixNode &)> &each = {});
    /// The one used longest ago among those that pass; a run of the same time goes before what it
    /// follows on.
    std::optional<std::uint64_t>
    oldest(const std::function<bool(const PrefixNode &, bool leaf)> &pass) const;
    void each(const std::function<void(const PrefixNode &, bool leaf)> &visit) const;

private:
    bool leaf(std::uint64_t id) const;

    std::unordered_map<std::uint64_t, PrefixNode> m_nodes;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> m_children; // of 0: the first
};

} // namespace fireside
