#include "engine/constrain/machine.h"

#include "engine/core/error.h"

#include <algorithm>
#include <set>

namespace fireside::constrain {

struct Machine::Closing
{
    std::set<Thread> known{};
    std::vector<Thread> work{};

    void add(Thread thread)
    {
        if (known.insert(thread).second)
            work.push_back(thread);
    }
};

Machine::Machine(const Automaton &automaton)
    : m_automaton(automaton)
{
    m_frames.emplace_back();
    m_seen.emplace_back();
    m_seenIds.emplace(ItemSet(), 0);
    intern({}); // kDead
}

Machine::ConfigId Machine::start()
{
    return enter({{m_automaton.start(), kBottom}});
}

Machine::FrameId Machine::frame(const Frame &frame)
{
    const auto [found, added] = m_frameIds.emplace(frame, static_cast<FrameId>(m_frames.size()));
    if (added)
        m_frames.push_back(frame);
    return found->second;
}

std::uint32_t Machine::seenId(const ItemSet &seen)
{
    const auto [found, added] = m_seenIds.emplace(seen, static_cast<std::uint32_t>(m_seen.size()));
    if (added)
        m_seen.push_back(seen);
    return found->second;
}

Machine::ConfigId Machine::exactly(std::vector<Thread> threads)
{
    return intern(std::move(threads));
}

Machine::ConfigId Machine::intern(std::vector<Thread> threads)
{
    const auto [found, added] =
        m_configIds.emplace(std::move(threads), static_cast<ConfigId>(m_configs.size()));
    if (!added)
        return found->second;
    Config config{.threads = found->first};
    config.next = std::make_unique<ConfigId[]>(m_automaton.classes());
    std::fill_n(config.next.get(), m_automaton.classes(),
                config.threads.empty() ? kDead : kUnknown);
    for (const Thread &thread : config.threads)
        (thread.node == kEnded ? config.ended : config.reads) = true;
    m_configs.push_back(std::move(config));
    return found->second;
}

Machine::ConfigId Machine::enter(std::vector<Thread> threads)
{
    Closing closing;
    for (const Thread &thread : threads)
        closing.add(thread);
    std::vector<Thread> kept;
    while (!closing.work.empty()) {
        const Thread thread = closing.work.back();
        closing.work.pop_back();
        if (closing.known.size() > m_automaton.limits().threads)
            throwBadInput("the grammar can read one text in more than " +
                          std::to_string(m_automaton.limits().threads) + " ways");
        if (thread.node == kEnded || m_automaton.node(thread.node).reads)
            kept.push_back(thread);
        if (thread.node != kEnded)
            follow(closing, thread);
    }
    std::sort(kept.begin(), kept.end(), [](const Thread &a, const Thread &b) {
        return a.frame != b.frame ? a.frame < b.frame : a.node < b.node;
    });
    return intern(std::move(kept));
}

void Machine::follow(Closing &closing, Thread thread)
{
    const Automaton::Node &node = m_automaton.node(thread.node);
    for (const Automaton::CallEdge &edge : m_automaton.calls(node))
        if (!node.grouped || isOpen(edge.target, thread.frame))
            call(closing, edge, thread.frame);
    if (node.item >= 0)
        end(closing, node, thread.frame);
}

void Machine::call(Closing &closing, const Automaton::CallEdge &edge, FrameId current)
{
    using Kind = Automaton::Call::Kind;
    const Automaton::Call &called = m_automaton.call(edge.call);
    if (called.kind == Kind::Rule && edge.last)
        return closing.add({called.start, current});
    const Frame &below = m_frames[current];
    Frame on{.parent = current,
             .call = called.kind == Kind::Rule ? kReturn : edge.call,
             .target = edge.target,
             .depth = below.depth + 1,
             .relative = below.relative};
    if (on.depth > static_cast<std::uint32_t>(m_automaton.limits().depth))
        return; // deeper than anybody needs: not allowed
    if (called.kind == Kind::Rule)
        return closing.add({called.start, frame(on)});
    if (mayEnd(called, on))
        closing.add({edge.target, current});
    if (mayGoOn(called, on))
        closing.add({called.start, frame(on)});
}

/// A body ends: what its frame says comes next.
void Machine::end(Closing &closing, const Automaton::Node &node, FrameId current)
{
    const Frame frame = m_frames[current];
    if (current == kBottom || frame.call == kReturn)
        return leave(closing, frame, 0);
    const Automaton::Call &called = m_automaton.call(frame.call);
    if (called.kind == Automaton::Call::Kind::Group)
        return endItem(closing, node, frame);
    Frame next = frame;
    ++next.count;
    if (frame.free) {
        next.relative = next.count;
    } else if (called.max == kUnlimited) {
        next.count = std::min(next.count, called.min);
    }
    if (frame.free || mayEnd(called, next))
        leave(closing, frame, next.count);
    if (frame.free || mayGoOn(called, next))
        closing.add({called.start, this->frame(next)});
}

void Machine::endItem(Closing &closing, const Automaton::Node &node, const Frame &frame)
{
    const Automaton::Call &called = m_automaton.call(frame.call);
    if (!node.grouped) // a separator
        return closing.add({called.start, this->frame(frame)});
    Frame next = frame;
    const auto item = static_cast<std::size_t>(node.item);
    if (called.repeatable[item]) {
        // More than the limits tell apart need not be counted.
        const std::uint32_t most = called.max == kUnlimited ? called.min : called.max;
        next.count = std::min(frame.count + 1, std::max(most, 1u));
    } else {
        ItemSet all = m_seen[frame.seen];
        all.set(item);
        next.seen = seenId(all);
    }
    if (mayEnd(called, next))
        leave(closing, frame, 0);
    if (mayGoOn(called, next))
        closing.add({called.separator, this->frame(next)});
}

void Machine::leave(Closing &closing, const Frame &frame, std::uint32_t complete)
{
    if (frame.target == kEnded)
        closing.add({kEnded, complete});
    else
        closing.add({frame.target, frame.parent});
}

/// The items that may come next.
ItemSet Machine::open(const Automaton::Call &call, const Frame &frame) const
{
    const ItemSet &seen = m_seen[frame.seen];
    ItemSet out;
    std::size_t from = 0;
    if (!call.anyOrder)
        for (std::size_t i = 0; i < call.items; ++i)
            if (seen[i] || (frame.count > 0 && !call.repeatable[i]))
                from = i + 1;
    for (std::size_t i = from; i < call.items; ++i) {
        if (call.repeatable[i] || !seen[i])
            out.set(i);
        if (!call.anyOrder && call.required[i] && !seen[i])
            break;
    }
    return out;
}

bool Machine::mayGoOn(const Automaton::Call &call, const Frame &frame) const
{
    if (call.kind == Automaton::Call::Kind::Repeat)
        return frame.count < call.max;
    const std::size_t there = m_seen[frame.seen].count() + frame.count;
    const std::size_t missing = (call.required & ~m_seen[frame.seen]).count();
    // What is required must still find room.
    if (there + std::max<std::size_t>(missing, 1) > call.max)
        return false;
    return (open(call, frame) & m_automaton.reach(m_automaton.node(call.start))).any();
}

bool Machine::mayEnd(const Automaton::Call &call, const Frame &frame) const
{
    if (call.kind == Automaton::Call::Kind::Repeat)
        return frame.count >= call.min;
    return (call.required & ~m_seen[frame.seen]).none() &&
           m_seen[frame.seen].count() + frame.count >= call.min;
}

/// Whether a node inside of a group's item still leads to one that may come.
bool Machine::isOpen(NodeId node, FrameId current)
{
    const Frame &frame = m_frames[current];
    const Automaton::Call &call = m_automaton.call(frame.call);
    ItemSet items = open(call, frame);
    const ItemSet missing = call.required & ~m_seen[frame.seen];
    const std::size_t there = m_seen[frame.seen].count() + frame.count;
    if (there + missing.count() + 1 > call.max) // only what is required still has room
        items &= missing;
    return (m_automaton.reach(m_automaton.node(node)) & items).any();
}

Machine::ConfigId Machine::compute(ConfigId config, std::uint8_t byteClass)
{
    std::vector<Thread> next;
    for (std::size_t i = 0; i < m_configs[config].threads.size(); ++i) {
        const Thread thread = m_configs[config].threads[i];
        if (thread.node == kEnded)
            continue;
        const NodeId target = m_automaton.next(thread.node, byteClass);
        if (target != kNoNode &&
            (!m_automaton.node(target).grouped || isOpen(target, thread.frame)))
            next.push_back({target, thread.frame});
    }
    const ConfigId found = next.empty() ? kDead : enter(std::move(next));
    m_configs[config].next[byteClass] = found;
    return found;
}

Machine::ConfigId Machine::read(ConfigId config, std::string_view bytes)
{
    for (const char byte : bytes) {
        config = step(config, static_cast<std::uint8_t>(byte));
        if (config == kDead)
            break;
    }
    return config;
}

int Machine::onlyByte(ConfigId config) const
{
    int only = -1;
    for (const Thread &thread : m_configs[config].threads) {
        const int byte = thread.node == kEnded ? -1 : m_automaton.node(thread.node).onlyByte;
        if (byte < 0 || (only >= 0 && byte != only))
            return -1;
        only = byte;
    }
    return only;
}

Machine::ConfigId Machine::forgetAllBut(ConfigId config)
{
    Machine fresh(m_automaton);
    const auto copy = [&](FrameId id) {
        std::vector<FrameId> chain;
        for (; id != kBottom; id = m_frames[id].parent)
            chain.push_back(id);
        FrameId parent = kBottom;
        for (; !chain.empty(); chain.pop_back()) {
            Frame frame = m_frames[chain.back()];
            frame.parent = parent;
            frame.seen = fresh.seenId(m_seen[frame.seen]);
            parent = fresh.frame(frame);
        }
        return parent;
    };
    std::vector<Thread> threads;
    for (const Thread &thread : m_configs[config].threads)
        threads.push_back({thread.node, thread.node == kEnded ? thread.frame : copy(thread.frame)});
    std::sort(threads.begin(), threads.end(), [](const Thread &a, const Thread &b) {
        return a.frame != b.frame ? a.frame < b.frame : a.node < b.node;
    });
    const ConfigId there = fresh.intern(std::move(threads));
    m_frames.swap(fresh.m_frames);
    m_frameIds.swap(fresh.m_frameIds);
    m_seen.swap(fresh.m_seen);
    m_seenIds.swap(fresh.m_seenIds);
    m_configs.swap(fresh.m_configs);
    m_configIds.swap(fresh.m_configIds);
    return there;
}

} // namespace fireside::constrain
