#include "engine/vulkan/weights/uploader.h"

#include "engine/core/exception_guard.h"
#include "engine/vulkan/platform/recording.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kPart = std::size_t{4} << 20; // bytes laid out and copied at once
constexpr std::size_t kUploadAlignment = 64;
constexpr unsigned kMaxUploadThreads = 12;

std::size_t alignedUpload(std::size_t bytes)
{
    return (bytes + kUploadAlignment - 1) / kUploadAlignment * kUploadAlignment;
}

} // namespace

/// Two pieces of memory that the host fills and the queue empties, in turn.
class Uploader::Staging
{
public:
    explicit Staging(Gpu &gpu)
        : m_gpu(gpu)
    {}
    ~Staging()
    {
        try {
            flush();
            for (Slot &slot : m_slots)
                wait(slot);
        } catch (...) { // the error was told where it mattered, or the device is lost
        }
    }
    Staging(const Staging &) = delete;
    Staging &operator=(const Staging &) = delete;

    /// Room in the slot being filled; 0 before there is one.
    std::size_t room() const
    {
        const Slot &slot = m_slots[m_current];
        return slot.memory && slot.commands ? slot.memory->size() - slot.filled : 0;
    }
    bool empty() const { return m_slots[m_current].filled == 0; }

    /// Memory for a part of so many bytes; the slot's turn ends first when it does not fit.
    std::byte *begin(std::size_t bytes)
    {
        if (m_slots[m_current].filled > 0 && bytes > room())
            flush();
        Slot &slot = m_slots[m_current];
        if (slot.filled == 0) {
            wait(slot);
            if (!slot.memory || slot.memory->size() < bytes) {
                slot.memory.reset();
                slot.memory = m_gpu.memory.allocate(std::max(bytes, kPart), Memory::Use::Staging,
                                                    "copying weights to the device");
            }
            if (!slot.commands)
                slot.commands = std::make_unique<Recording>(m_gpu);
            slot.commands->reset();
            slot.commands->begin();
        }
        return slot.memory->mapped() + slot.filled;
    }
    /// Records the copy of what was put at begin().
    void end(const Upload::Part &part, const std::shared_ptr<MemoryPiece> &to, std::size_t bytes)
    {
        Slot &slot = m_slots[m_current];
        std::vector<VkBufferCopy> regions;
        std::size_t from = slot.filled;
        for (std::size_t p = 0; p < part.bytes.size(); ++p) {
            if (part.bytes[p] > 0)
                regions.push_back({from, to->offset() + part.offset[p], part.bytes[p]});
            from += alignedUpload(part.bytes[p]);
        }
        m_gpu.device.functions().CmdCopyBuffer(
            slot.commands->current(), slot.memory->buffer(), to->buffer(),
            static_cast<std::uint32_t>(regions.size()), regions.data());
        slot.targets.push_back(to);
        slot.filled += bytes;
    }
    /// Hands what is filled to the queue.
    void flush()
    {
        Slot &slot = m_slots[m_current];
        if (slot.filled == 0)
            return;
        slot.filled = 0;
        slot.commands->end();
        const VkCommandBuffer commands = slot.commands->tables();
        slot.running = m_gpu.device.submit({&commands, 1});
        m_current = 1 - m_current;
    }
    void finish()
    {
        flush();
        for (Slot &slot : m_slots)
            wait(slot);
    }

private:
    struct Slot
    {
        std::unique_ptr<Allocation> memory;
        std::unique_ptr<Recording> commands;
        std::vector<std::shared_ptr<MemoryPiece>> targets; // must not go before the copy is done
        std::size_t filled = 0;
        std::uint64_t running = 0;
    };
    void wait(Slot &slot)
    {
        if (slot.running != 0)
            m_gpu.device.wait(std::exchange(slot.running, 0), m_gpu.timeout());
        slot.targets.clear();
    }

    Gpu &m_gpu;
    std::array<Slot, 2> m_slots;
    std::size_t m_current = 0;
};

Uploader::Uploader(std::shared_ptr<Gpu> gpu)
    : m_gpu(std::move(gpu))
{}

Uploader::~Uploader()
{
    cancel();
}

void Uploader::add(std::shared_ptr<Upload> upload)
{
    const std::lock_guard lock(m_mutex);
    if (m_error) // no need to take more over
        std::rethrow_exception(std::exchange(m_error, nullptr));
    m_waiting.push_back(std::move(upload));
    const unsigned most = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxUploadThreads);
    if (m_threads.size() < most)
        m_threads.emplace_back([this](const std::stop_token &stop) {
            containExceptions(
                "vulkan.uploader", [&] { run(stop); },
                [this](const Error &error) {
                    fail(std::make_exception_ptr(error));
                    m_wake.notify_all();
                });
        });
    m_wake.notify_one();
}

void Uploader::finish(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    const bool done = m_wake.wait(lock, stop, [this] { return m_waiting.empty() && m_busy == 0; });
    lock.unlock();
    cancel(); // the threads and their staging memory go
    if (!done)
        throwCancelled();
    if (const std::exception_ptr error = std::exchange(m_error, nullptr))
        std::rethrow_exception(error);
}

void Uploader::cancel()
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.clear();
    }
    for (std::jthread &thread : m_threads)
        thread.request_stop();
    m_threads.clear(); // joins
}

void Uploader::fail(std::exception_ptr error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_error)
        m_error = std::move(error);
    m_waiting.clear();
}

Uploader::Work Uploader::take(std::size_t maxBytes, bool any)
{
    const std::lock_guard lock(m_mutex);
    while (!m_waiting.empty()) {
        Work work{m_waiting.front(), {}};
        Upload &upload = *work.upload;
        const Upload::Part before{upload.m_depth, upload.m_row, 0, {}, {}};
        work.part = upload.next(maxBytes);
        std::size_t bytes = 0;
        for (const std::size_t plane : work.part.bytes)
            bytes += alignedUpload(plane);
        if (work.part.count > 0 && !any && bytes > maxBytes) { // next time, with more room
            upload.m_depth = before.depth;
            upload.m_row = before.row;
            return {};
        }
        if (upload.m_depth >= upload.m_source.depth)
            m_waiting.pop_front();
        if (work.part.count > 0)
            return work;
    }
    return {};
}

void Uploader::process(const Work &work, Staging &staging)
{
    Upload &upload = *work.upload;
    if (!upload.enter())
        return;
    struct Leave
    {
        Upload &upload;
        ~Leave() { upload.leave(); }
    } const leave{upload};
    Upload::Pieces out{};
    if (std::byte *const mapped = upload.m_memory->mapped()) {
        for (std::size_t p = 0; p < out.size(); ++p)
            if (work.part.bytes[p] > 0)
                out[p] = mapped + work.part.offset[p];
        upload.layOut(work.part, out);
        return;
    }
    std::size_t bytes = 0;
    for (const std::size_t plane : work.part.bytes)
        bytes += alignedUpload(plane);
    std::byte *to = staging.begin(bytes);
    for (std::size_t p = 0; p < out.size(); ++p)
        if (work.part.bytes[p] > 0) {
            out[p] = to;
            to += alignedUpload(work.part.bytes[p]);
        }
    upload.layOut(work.part, out);
    staging.end(work.part, upload.m_memory, bytes);
}

void Uploader::run(const std::stop_token &stop)
{
    // Through an error the staging memory is still emptied and waited for at the end.
    Staging staging(*m_gpu);
    const auto whole = [this] {
        const std::lock_guard lock(m_mutex);
        return m_waiting.empty();
    };
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return !m_waiting.empty(); })) {
        ++m_busy;
        lock.unlock();
        try {
            guarded(*m_gpu, "copying weights to the device", [&] {
                while (!stop.stop_requested()) {
                    // A slot is filled up with small weights; a large one begins a new slot.
                    const std::size_t room = staging.room();
                    Work work =
                        staging.empty()
                            ? take(kPart - Upload::kPieces * kUploadAlignment, true)
                            : take(room - std::min(room, Upload::kPieces * kUploadAlignment),
                                   false);
                    if (work.upload) {
                        process(work, staging);
                    } else if (!staging.empty()) {
                        staging.flush();
                    } else if (whole()) {
                        break;
                    }
                }
                staging.finish();
            });
        } catch (...) {
            fail(std::current_exception());
        }
        lock.lock();
        --m_busy;
        m_wake.notify_all();
    }
}

} // namespace fireside::vulkan
