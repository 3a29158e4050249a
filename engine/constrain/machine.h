#pragma once
#include "engine/constrain/automaton.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace fireside::constrain {

/// Reads bytes with an Automaton. Everything it can be in at once – nodes, each with the calls it
/// is inside of – is a configuration with a number; stacks share their lower parts, and steps that
/// were taken once are looked up from then on. Mutable, for one thread.
class Machine
{
public:
    using ConfigId = std::uint32_t;
    using FrameId = std::uint32_t;
    static constexpr ConfigId kDead = 0;
    static constexpr FrameId kBottom = 0;
    /// The node of a thread that has ended below the bottom. Its frame is how many repetitions were
    /// complete by then, where a machine began inside of a repetition.
    static constexpr NodeId kEnded = 0xFFFFFFFE;

    struct Frame
    {
        FrameId parent = kBottom;
        std::uint32_t call = kReturn; // a Repeat or Group, or kReturn
        NodeId target = kEnded;       // where it goes on afterwards
        std::uint32_t count = 0;      // complete repetitions; of a group, items that may repeat
        std::uint32_t seen = 0;       // a group's items so far: a place in seen()
        std::uint32_t depth = 0;
        /// Of what stands on a repetition whose count is not known: its count, relative.
        std::uint32_t relative = 0;
        bool free = false; // this is that repetition: it may go on and end at any count
        auto operator<=>(const Frame &) const = default;
    };
    static constexpr std::uint32_t kReturn = 0xFFFFFFFF;

    struct Thread
    {
        NodeId node = 0;
        FrameId frame = 0;
        auto operator<=>(const Thread &) const = default;
    };

    explicit Machine(const Automaton &automaton);

    /// At the beginning of the whole.
    ConfigId start();
    /// What these threads are, with all that follows without reading.
    ConfigId enter(std::vector<Thread> threads);
    /// These threads alone, in order of their frames.
    ConfigId exactly(std::vector<Thread> threads);
    FrameId frame(const Frame &frame);

    ConfigId step(ConfigId config, std::uint8_t byte)
    {
        const std::uint8_t byteClass = m_automaton.classOf(byte);
        const ConfigId next = m_configs[config].next[byteClass];
        return next != kUnknown ? next : compute(config, byteClass);
    }
    ConfigId read(ConfigId config, std::string_view bytes);

    /// Threads that can read a byte, and those that have ended, in order of their frames.
    std::span<const Thread> threads(ConfigId config) const { return m_configs[config].threads; }
    bool hasEnded(ConfigId config) const { return m_configs[config].ended; }
    bool canRead(ConfigId config) const { return m_configs[config].reads; }
    /// The only byte that can follow; −1: there are others, or it may end.
    int onlyByte(ConfigId config) const;
    const Frame &frameOf(FrameId id) const { return m_frames[id]; }
    const ItemSet &seen(std::uint32_t id) const { return m_seen[id]; }
    std::uint32_t seenId(const ItemSet &seen);
    const Automaton &automaton() const { return m_automaton; }

    std::size_t size() const { return m_configs.size(); }
    /// A machine that knows this configuration alone, which gets the number returned.
    ConfigId forgetAllBut(ConfigId config);

private:
    static constexpr ConfigId kUnknown = 0xFFFFFFFF;
    struct Config
    {
        std::vector<Thread> threads{};
        std::unique_ptr<ConfigId[]> next{}; // [classes]
        bool ended = false, reads = false;
    };
    struct Closing; // threads being followed

    ConfigId compute(ConfigId config, std::uint8_t byteClass);
    ConfigId intern(std::vector<Thread> threads);
    void follow(Closing &closing, Thread thread);
    void call(Closing &closing, const Automaton::CallEdge &edge, FrameId frame);
    void end(Closing &closing, const Automaton::Node &node, FrameId frame);
    void endItem(Closing &closing, const Automaton::Node &node, const Frame &frame);
    bool mayGoOn(const Automaton::Call &call, const Frame &frame) const;
    bool mayEnd(const Automaton::Call &call, const Frame &frame) const;
    ItemSet open(const Automaton::Call &call, const Frame &frame) const;
    bool isOpen(NodeId node, FrameId frame);
    void leave(Closing &closing, const Frame &frame, std::uint32_t complete);

    const Automaton &m_automaton;
    std::vector<Frame> m_frames;
    std::map<Frame, FrameId> m_frameIds;
    std::vector<ItemSet> m_seen;
    std::unordered_map<ItemSet, std::uint32_t> m_seenIds;
    std::vector<Config> m_configs;
    std::map<std::vector<Thread>, ConfigId> m_configIds;
};

} // namespace fireside::constrain
