#pragma once
#include "engine/generate/prefix_tree.h"
#include "engine/generate/session.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

namespace fireside {

/// Branches of chats as sessions computed them: an earlier one that begins like a prompt saves
/// computing it. They are kept in memory, and in files that a thread of its own writes; what was
/// used longest ago goes first. A file that is damaged or of something else is not used, and goes.
/// Whatever the disk does, a reply is only computed where it might have been taken over. For any
/// thread, sessions from the one that uses them.
class PrefixCache
{
public:
    static constexpr std::uint64_t kUsualDiskLimit = 8'000'000'000;
    struct Options
    {
        std::filesystem::path folder{}; // empty: in memory only; made when it is first needed
        std::uint64_t diskLimit = kUsualDiskLimit; // bytes
        std::uint64_t memoryLimit = 0; // bytes; 0: an eighth of what is free, 2 GB at most
        bool always = false;           // keep and read also what is quickly computed; for tests
    };
    explicit PrefixCache(Options options);
    ~PrefixCache(); // gives a write in progress a moment
    PrefixCache(const PrefixCache &) = delete;
    PrefixCache &operator=(const PrefixCache &) = delete;

    /// Lets the session begin with as much of `prompt` as was kept under `key`, but for its last
    /// token, where that is more than it has, and is quicker than computing it. Gives the tokens
    /// taken over. Error(Memory), Error(Device): the session is then empty.
    std::size_t restore(Session &session, const std::string &key, std::span<const TokenId> prompt,
                        const std::stop_token &stop = {});
    /// Keeps what is new of the session's tokens, if computing them anew at `tokensPerSecond` took
    /// noticeably longer than reading them. `stop` ends it early; what is kept is kept in order.
    void keep(Session &session, const std::string &key, double tokensPerSecond,
              const std::stop_token &stop = {});

    struct Usage
    {
        std::filesystem::path folder{};
        std::uint64_t diskBytes = 0, diskLimit = 0, memoryBytes = 0;
        std::size_t tokens = 0; // on disk or in memory
        std::string problem{};  // the last thing that could not be written; empty: none
    };
    Usage usage() const;
    /// Everything goes, also what waits to be written.
    void clear();
    void setDiskLimit(std::uint64_t bytes); // 0: nothing is written, and what is there goes
    void waitUntilWritten();                // and what went is gone

private:
    static constexpr double kFileSeconds = 0.002; // to open one
    static std::int64_t now();
    /// LongRoPE turns the keys of long chats otherwise.
    static std::string keyFor(const std::string &key, const Session &session, std::size_t tokens);
    void work(const std::stop_token &stop);
    void writeQueued(const std::stop_token &stop);
    void dropWork(const std::string &problem);
    void noLongerWaiting(std::uint64_t id);
    std::vector<PrefixNode> scan() const;
    void takeFound(std::vector<PrefixNode> found);
    void write(std::uint64_t id, std::unique_lock<std::mutex> &lock, const std::stop_token &stop);
    std::shared_ptr<const KeptTokens> load(const PrefixNode &node);
    bool restoreAlong(Session &session, const PrefixTree::Way &way, std::size_t total,
                      const std::stop_token &stop);
    bool worthReading(const PrefixTree::Way &way, std::size_t have, const std::string &key) const;
    bool worthKeeping(std::uint64_t bytes, std::size_t tokens, double tokensPerSecond) const;
    std::vector<std::size_t> worthKeeping(const std::vector<std::size_t> &states, std::size_t from,
                                          std::uint64_t bytesOfOne, double tokensPerSecond) const;
    void queue(std::uint64_t id);
    void removeFiles(std::unique_lock<std::mutex> &lock);
    bool idle() const { return m_scanned && m_queue.empty() && m_doomed.empty() && !m_writing; }
    void touch(const PrefixTree::Way &way);
    void drop(std::uint64_t id);
    void trimDisk(std::uint64_t room);
    void trimMemory();
    std::uint64_t memoryLimit() const;

    const Options m_options;
    mutable std::mutex m_mutex; // of everything below
    std::condition_variable_any m_changed;
    PrefixTree m_tree;
    std::uint64_t m_diskLimit, m_diskBytes = 0, m_memoryBytes = 0, m_waitingBytes = 0;
    std::deque<std::uint64_t> m_queue;   // nodes to write
    std::vector<std::uint64_t> m_doomed; // whose files are to go
    std::set<std::uint64_t> m_reading;   // not to be dropped
    bool m_scanned = false, m_discarding = false, m_writing = false;
    std::string m_problem;
    std::unordered_map<std::string, double> m_promptRates; // tokens a second, of each key
    double m_readRate = 1e9;                               // bytes a second
    std::jthread m_writer;                                 // last: it uses the others
};

} // namespace fireside
