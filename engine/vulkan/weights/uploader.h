#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/weights/vulkan_weight.h"
#include "engine/vulkan/weights/weight_blocks.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace fireside::vulkan {

/// One weight on its way to the device. Shared by the weight, which may go before it is there.
class Upload
{
public:
    Upload(WeightSource source, DType storage, std::shared_ptr<MemoryPiece> memory);

    /// No row is read any more after this returns.
    void cancel();

private:
    friend class Uploader;
    /// A range of rows of one matrix of a weight: of each plane, and with the first of them the
    /// table.
    static constexpr std::size_t kPieces = 5, kTable = 4;
    using Pieces = std::array<std::byte *, kPieces>;
    struct Part
    {
        std::int64_t depth = 0, row = 0, count = 0;
        std::array<std::size_t, kPieces> offset{}; // bytes in the weight's memory
        std::array<std::size_t, kPieces> bytes{};
    };
    /// The next rows of at most so many bytes, but at least one row; count 0 at the end.
    Part next(std::size_t maxBytes);
    void layOut(const Part &part, const Pieces &out) const;
    /// Brackets the reading of rows: false when the upload was cancelled.
    bool enter();
    void leave();

    WeightSource m_source;
    PlaneLayout m_planes{}; // of a vector: one plane of floats
    PlaneOffsets m_offsets;
    std::span<const std::byte> m_table;
    bool m_vector = false;
    std::int64_t m_rowElements = 0; // with padding
    std::shared_ptr<MemoryPiece> m_memory;
    std::int64_t m_depth = 0, m_row = 0; // where the next part begins

    std::mutex m_mutex;
    std::condition_variable m_left;
    int m_readers = 0;
    bool m_cancelled = false;
};

/// Brings weights to the device with several threads: straight into its memory where the host
/// reaches it, else through staging memory of each thread's own, copied by the queue.
class Uploader
{
public:
    explicit Uploader(std::shared_ptr<Gpu> gpu);
    ~Uploader(); // cancels what is not done
    Uploader(const Uploader &) = delete;
    Uploader &operator=(const Uploader &) = delete;

    /// Throws what went wrong with an earlier one.
    void add(std::shared_ptr<Upload> upload);
    /// Waits until everything is on the device; throws the first error, or Error(Cancelled).
    void finish(const std::stop_token &stop);
    void cancel();

private:
    class Staging;
    struct Work
    {
        std::shared_ptr<Upload> upload;
        Upload::Part part;
    };
    void run(const std::stop_token &stop);
    /// The next part of at most so many bytes (one row at least if `any`); null when there is none
    /// now.
    Work take(std::size_t maxBytes, bool any);
    void process(const Work &work, Staging &staging);
    void fail(std::exception_ptr error);

    std::shared_ptr<Gpu> m_gpu;
    std::mutex m_mutex;
    std::condition_variable_any m_wake; // work came, or a thread came to rest
    std::deque<std::shared_ptr<Upload>> m_waiting;
    std::size_t m_busy = 0; // threads at work, or with copies in the queue
    std::exception_ptr m_error;
    std::vector<std::jthread> m_threads;
};

} // namespace fireside::vulkan
