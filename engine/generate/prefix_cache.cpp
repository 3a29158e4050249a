#include "engine/generate/prefix_cache.h"

#include "engine/core/exception_guard.h"
#include "engine/core/memory_info.h"
#include "engine/core/private_folder.h"
#include "engine/generate/prefix_file.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t kLeastTokens = 32;             // fewer are not worth a look
constexpr std::uint64_t kLeaveOnDisk = 500'000'000;  // for others
constexpr std::uint64_t kMostMemory = 2'000'000'000; // with automatic limit
constexpr std::chrono::milliseconds kPatience(700);  // for a write, when the program ends

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// As many tokens as a session need not compute again of these.
std::size_t reusableOf(const Session &session, std::span<const TokenId> tokens)
{
    const auto there = session.tokens();
    return session.reusable(
        static_cast<std::size_t>(std::ranges::mismatch(there, tokens).in1 - there.begin()));
}

} // namespace

std::int64_t PrefixCache::now()
{
    return fs::file_time_type::clock::now().time_since_epoch().count();
}

std::string PrefixCache::keyFor(const std::string &key, const Session &session, std::size_t tokens)
{
    return key + (session.model().config().needsLongContext(tokens) ? ", long context" : "");
}

PrefixCache::PrefixCache(Options options)
    : m_options(std::move(options))
    , m_diskLimit(m_options.folder.empty() ? 0 : m_options.diskLimit)
    , m_writer([this](const std::stop_token &stop) { work(stop); }) // contains exceptions
{}

PrefixCache::~PrefixCache()
{
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, kPatience, [this] { return idle(); });
        m_writer.request_stop();
    }
    m_changed.notify_all();
}

// --- the thread that writes ---

void PrefixCache::work(const std::stop_token &stop)
{
    const auto scanAll = [this] {
        std::vector<PrefixNode> found = scan();
        const std::lock_guard lock(m_mutex);
        takeFound(std::move(found));
    };
    const auto failed = [this](const Error &error) { dropWork(error.what()); };
    containExceptions("prefix_cache.scan", scanAll, failed);
    {
        const std::lock_guard lock(m_mutex);
        m_scanned = true;
    }
    m_changed.notify_all();
    while (!stop.stop_requested())
        containExceptions(
            "prefix_cache.write", [&] { writeQueued(stop); }, failed);
}

/// After an error: what is queued stays in memory only, and files that are to go stay.
void PrefixCache::dropWork(const std::string &problem)
{
    const std::lock_guard lock(m_mutex);
    m_problem = problem;
    m_writing = false;
    m_doomed.clear();
    for (const std::uint64_t id : m_queue)
        noLongerWaiting(id);
    m_queue.clear();
    m_changed.notify_all();
}

void PrefixCache::noLongerWaiting(std::uint64_t id)
{
    PrefixNode *const node = m_tree.node(id);
    if (node == nullptr || !std::exchange(node->waiting, false))
        return;
    m_waitingBytes -= node->bytes();
}

/// Until the thread is to end.
void PrefixCache::writeQueued(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    const auto anything = [this] { return !m_queue.empty() || !m_doomed.empty(); };
    while (m_changed.wait(lock, stop, anything) && !stop.stop_requested()) {
        if (!m_doomed.empty()) {
            removeFiles(lock);
            m_changed.notify_all();
            continue;
        }
        const std::uint64_t id = m_queue.front();
        m_queue.pop_front();
        m_writing = true;
        try {
            write(id, lock, stop);
        } catch (const std::exception &error) {
            if (!lock.owns_lock())
                lock.lock();
            m_problem = error.what();
        }
        noLongerWaiting(id);
        m_writing = false;
        trimMemory();
        m_changed.notify_all();
    }
}

/// What earlier runs of the program left.
std::vector<PrefixNode> PrefixCache::scan() const
{
    std::vector<PrefixNode> found;
    if (m_options.folder.empty())
        return found;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(m_options.folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.find(kPrefixFileEnding + std::string(".part-")) != std::string::npos)
            fs::remove(entry.path(), error);
        if (entry.path().extension() != kPrefixFileEnding || !entry.is_regular_file(error))
            continue;
        try {
            found.push_back(readPrefixHeader(entry.path()));
            found.back().used = entry.last_write_time(error).time_since_epoch().count();
            // Earlier versions left them readable by others.
            fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::owner_write, error);
        } catch (const Error &problem) {
            if (problem.kind() != ErrorKind::Io)
                fs::remove(entry.path(), error);
        }
    }
    return found;
}

/// Parents come before those that follow on them; what has lost its own goes.
void PrefixCache::takeFound(std::vector<PrefixNode> found)
{
    std::ranges::sort(found, {}, [](const PrefixNode &node) { return node.from; });
    for (PrefixNode &node : found) {
        const std::uint64_t id = node.id, bytes = node.bytes();
        if (!m_discarding && m_tree.add(std::move(node)))
            m_diskBytes += bytes;
        else
            m_doomed.push_back(id);
    }
    trimDisk(0);
}

/// Also of what went while it was being written.
void PrefixCache::removeFiles(std::unique_lock<std::mutex> &lock)
{
    const std::vector<std::uint64_t> doomed = m_doomed;
    lock.unlock();
    std::error_code error;
    for (const std::uint64_t id : doomed)
        fs::remove(prefixFilePath(m_options.folder, id), error);
    lock.lock();
    m_doomed.erase(m_doomed.begin(), m_doomed.begin() + static_cast<std::ptrdiff_t>(doomed.size()));
}

void PrefixCache::write(std::uint64_t id, std::unique_lock<std::mutex> &lock,
                        const std::stop_token &stop)
{
    const PrefixNode *const node = m_tree.node(id);
    if (node == nullptr || !node->memory || node->onDisk)
        return;
    const PrefixNode *const parent = m_tree.node(node->parent);
    const bool rooted = node->parent == 0 || (parent != nullptr && parent->onDisk);
    if (!rooted || node->bytes() > m_diskLimit)
        return; // of no use after the program's end
    trimDisk(node->bytes());
    if (m_diskBytes + node->bytes() > m_diskLimit)
        return;
    const PrefixNode copy = *node;
    removeFiles(lock);
    lock.unlock();
    makePrivateFolder(m_options.folder); // where that fails, the file says why
    writePrefixFile(m_options.folder, copy, *copy.memory, kLeaveOnDisk, stop);
    lock.lock();
    if (PrefixNode *const written = m_tree.node(id); written != nullptr) {
        written->onDisk = true;
        m_diskBytes += written->bytes();
        m_problem.clear();
    } else {
        m_doomed.push_back(id);
    }
}

// --- room ---

void PrefixCache::drop(std::uint64_t id)
{
    m_tree.erase(id, [this](const PrefixNode &node) {
        if (node.onDisk) {
            m_doomed.push_back(node.id);
            m_diskBytes -= node.bytes();
        }
        m_memoryBytes -= node.memory ? node.bytes() : 0;
        m_waitingBytes -= node.waiting ? node.bytes() : 0;
    });
    m_changed.notify_all();
}

void PrefixCache::trimDisk(std::uint64_t room)
{
    while (m_diskBytes + room > m_diskLimit) {
        const auto last = m_tree.oldest([&](const PrefixNode &node, bool leaf) {
            return leaf && node.onDisk && !m_reading.contains(node.id);
        });
        if (!last)
            return;
        drop(*last);
    }
}

std::uint64_t PrefixCache::memoryLimit() const
{
    if (m_options.memoryLimit > 0)
        return m_options.memoryLimit;
    const std::uint64_t free = queryMemory().available.value_or(0) + m_memoryBytes;
    return std::min(kMostMemory, free / 8);
}

void PrefixCache::trimMemory()
{
    const std::uint64_t limit = memoryLimit();
    while (m_memoryBytes > limit) {
        const auto last = m_tree.oldest([&](const PrefixNode &node, bool leaf) {
            return node.memory && !node.waiting && (node.onDisk || leaf) &&
                   !m_reading.contains(node.id);
        });
        if (!last)
            return;
        PrefixNode &node = *m_tree.node(*last);
        if (!node.onDisk) {
            drop(*last);
            continue;
        }
        m_memoryBytes -= node.bytes();
        node.memory.reset();
    }
}

// --- restoring ---

bool PrefixCache::worthReading(const PrefixTree::Way &way, std::size_t have,
                               const std::string &key) const
{
    if (way.tokens < have + kLeastTokens)
        return false;
    const auto rate = m_promptRates.find(key);
    if (rate == m_promptRates.end() || m_options.always)
        return true;
    double seconds = 0;
    for (const PrefixTree::Step &step : way.steps)
        if (const PrefixNode &node = *m_tree.node(step.id); step.end > have && !node.memory)
            seconds += kFileSeconds + static_cast<double>(node.bytes()) / m_readRate;
    return seconds < static_cast<double>(way.tokens - have) / rate->second;
}

std::size_t PrefixCache::restore(Session &session, const std::string &key,
                                 std::span<const TokenId> prompt, const std::stop_token &stop)
{
    if (prompt.empty())
        return 0;
    const std::string fullKey = keyFor(key, session, prompt.size());
    const auto wanted =
        prompt.first(std::min(prompt.size() - 1, static_cast<std::size_t>(session.capacity()) - 1));
    const auto inCommon = [&] {
        return session.servesUpTo(prompt.size()) ? reusableOf(session, wanted) : 0;
    };
    const std::size_t before = inCommon();
    for (;;) {
        const std::size_t have = inCommon();
        PrefixTree::Way way;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, stop, [this] { return m_scanned; });
            way = m_tree.find(fullKey, wanted, session.needsStates());
            if (stop.stop_requested() || !worthReading(way, have, key))
                return have - std::min(have, before);
            touch(way);
            for (const PrefixTree::Step &step : way.steps)
                m_reading.insert(step.id);
        }
        session.truncate(session.needsStates() ? 0 : have);
        bool done = false;
        const auto ended = [&] {
            const std::lock_guard lock(m_mutex);
            m_reading.clear();
        };
        try {
            done = restoreAlong(session, way, prompt.size(), stop);
        } catch (...) {
            ended();
            session.truncate(0);
            throw;
        }
        ended();
        if (done)
            return way.tokens - std::min(way.tokens, before);
        if (session.needsStates())
            session.truncate(0); // rows without the states that go with them
    }
}

/// False when it was stopped, or came to a run that cannot be read, which then is gone.
bool PrefixCache::restoreAlong(Session &session, const PrefixTree::Way &way, std::size_t total,
                               const std::stop_token &stop)
{
    for (const PrefixTree::Step &step : way.steps) {
        if (step.end <= session.tokens().size())
            continue;
        if (stop.stop_requested())
            return false;
        PrefixNode node;
        {
            const std::lock_guard lock(m_mutex);
            const PrefixNode *const found = m_tree.node(step.id);
            if (found == nullptr)
                return false;
            node = *found;
        }
        const std::shared_ptr<const KeptTokens> kept = load(node);
        if (!kept)
            return false;
        session.restore(*kept, step.end, total);
    }
    return true;
}

std::shared_ptr<const KeptTokens> PrefixCache::load(const PrefixNode &node)
{
    if (node.memory)
        return node.memory;
    const auto started = Clock::now();
    try {
        auto kept = std::make_shared<const KeptTokens>(
            readPrefixFile(prefixFilePath(m_options.folder, node.id), node));
        const std::lock_guard lock(m_mutex);
        const double rate =
            static_cast<double>(node.bytes()) / std::max(secondsSince(started), 1e-6);
        m_readRate = (m_readRate + rate) / 2;
        return kept;
    } catch (const std::exception &error) {
        const std::lock_guard lock(m_mutex);
        m_problem = error.what();
        drop(node.id);
        return nullptr;
    }
}

void PrefixCache::touch(const PrefixTree::Way &way)
{
    for (const PrefixTree::Step &step : way.steps) {
        PrefixNode &node = *m_tree.node(step.id);
        node.used = now();
        std::error_code error; // a folder that is only read keeps its times
        if (node.onDisk)
            fs::last_write_time(prefixFilePath(m_options.folder, node.id),
                                fs::file_time_type::clock::now(), error);
    }
}

// --- what is there ---

PrefixCache::Usage PrefixCache::usage() const
{
    const std::lock_guard lock(m_mutex);
    Usage usage{.folder = m_options.folder,
                .diskBytes = m_diskBytes,
                .diskLimit = m_diskLimit,
                .memoryBytes = m_memoryBytes,
                .problem = m_problem};
    m_tree.each([&](const PrefixNode &node, bool) { usage.tokens += node.tokens.size(); });
    return usage;
}

void PrefixCache::clear()
{
    const std::lock_guard lock(m_mutex);
    m_discarding = !m_scanned; // what is being found
    m_queue.clear();
    std::vector<std::uint64_t> first;
    m_tree.each([&](const PrefixNode &node, bool) {
        if (node.parent == 0)
            first.push_back(node.id);
    });
    for (const std::uint64_t id : first)
        drop(id);
    m_problem.clear();
    m_changed.notify_all();
}

void PrefixCache::setDiskLimit(std::uint64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_diskLimit = m_options.folder.empty() ? 0 : bytes;
    if (m_scanned)
        trimDisk(0);
}

void PrefixCache::waitUntilWritten()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return idle(); });
}

} // namespace fireside
