#include "engine/generate/prefix_tree.h"

#include "engine/core/checksum.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fireside {
namespace {

/// Tokens of the chat up to which a run agrees with the asked ones.
std::size_t reachOf(const PrefixNode &node, std::span<const TokenId> tokens)
{
    const auto rest = tokens.subspan(std::min(node.from, tokens.size()));
    const auto end =
        std::mismatch(node.tokens.begin(), node.tokens.end(), rest.begin(), rest.end());
    return node.from + static_cast<std::size_t>(end.first - node.tokens.begin());
}

std::size_t lastState(const PrefixNode &node, std::size_t reach)
{
    const auto after = std::upper_bound(node.states.begin(), node.states.end(), reach);
    return after == node.states.begin() ? 0 : *(after - 1);
}

} // namespace

std::uint64_t prefixId(const std::string &key, std::uint64_t parent, std::size_t from,
                       std::span<const TokenId> tokens)
{
    const std::uint64_t place[] = {key.size(), parent, from};
    Checksum sum;
    sum.add(std::as_bytes(std::span(place)));
    sum.add(std::as_bytes(std::span(key)));
    sum.add(std::as_bytes(tokens));
    return std::max<std::uint64_t>(sum.value(), 1);
}

PrefixTree::Way PrefixTree::find(const std::string &key, std::span<const TokenId> tokens,
                                 bool toState) const
{
    Way way;
    std::uint64_t last = 0;
    std::vector<std::uint64_t> open;
    const auto follow = [&](std::uint64_t parent, std::size_t reach) {
        const auto children = m_children.find(parent);
        if (children == m_children.end())
            return;
        for (const std::uint64_t id : children->second)
            if (const PrefixNode &child = m_nodes.at(id); child.from <= reach && child.key == key)
                open.push_back(id);
    };
    follow(0, 0);
    while (!open.empty()) {
        const PrefixNode &node = m_nodes.at(open.back());
        open.pop_back();
        const std::size_t reach = reachOf(node, tokens);
        if (reach == node.from)
            continue;
        const std::size_t useful = toState ? lastState(node, reach) : reach;
        if (useful > way.tokens) {
            way.tokens = useful;
            last = node.id;
        }
        follow(node.id, reach);
    }
    std::size_t end = way.tokens;
    while (last != 0) {
        const PrefixNode &node = m_nodes.at(last);
        way.steps.push_back({last, end});
        end = node.from;
        last = node.parent;
    }
    std::reverse(way.steps.begin(), way.steps.end());
    return way;
}

bool PrefixTree::add(PrefixNode node)
{
    if (m_nodes.contains(node.id) || node.tokens.empty())
        return false;
    const PrefixNode *const parent = this->node(node.parent);
    const bool follows = node.parent == 0
                             ? node.from == 0
                             : parent != nullptr && parent->key == node.key &&
                                   parent->from < node.from && node.from <= parent->end();
    if (!follows)
        return false;
    m_children[node.parent].push_back(node.id);
    const std::uint64_t id = node.id;
    m_nodes.emplace(id, std::move(node));
    return true;
}

PrefixNode *PrefixTree::node(std::uint64_t id)
{
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : &found->second;
}

const PrefixNode *PrefixTree::node(std::uint64_t id) const
{
    return const_cast<PrefixTree *>(this)->node(id);
}

void PrefixTree::erase(std::uint64_t id, const std::function<void(const PrefixNode &)> &each)
{
    if (const PrefixNode *const first = node(id))
        std::erase(m_children[first->parent], id);
    std::vector<std::uint64_t> open{id};
    while (!open.empty()) {
        const std::uint64_t next = open.back();
        open.pop_back();
        const auto found = m_nodes.find(next);
        if (found == m_nodes.end())
            continue;
        if (each)
            each(found->second);
        m_nodes.erase(found);
        if (const auto children = m_children.find(next); children != m_children.end()) {
            open.insert(open.end(), children->second.begin(), children->second.end());
            m_children.erase(children);
        }
    }
}

bool PrefixTree::leaf(std::uint64_t id) const
{
    const auto children = m_children.find(id);
    return children == m_children.end() || children->second.empty();
}

std::optional<std::uint64_t>
PrefixTree::oldest(const std::function<bool(const PrefixNode &, bool leaf)> &pass) const
{
    const PrefixNode *found = nullptr;
    const auto age = [](const PrefixNode &n) { return std::make_tuple(n.used, -double(n.from)); };
    for (const auto &[id, node] : m_nodes)
        if ((found == nullptr || age(node) < age(*found)) && pass(node, leaf(id)))
            found = &node;
    return found == nullptr ? std::nullopt : std::optional(found->id);
}

void PrefixTree::each(const std::function<void(const PrefixNode &, bool leaf)> &visit) const
{
    for (const auto &[id, node] : m_nodes)
        visit(node, leaf(id));
}

} // namespace fireside
