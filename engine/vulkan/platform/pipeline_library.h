#pragma once
#include "engine/vulkan/platform/pipeline.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fireside::vulkan {

/// The pipelines of a device by shader and constants, each created once. Thread-safe; must not
/// outlive its device.
class PipelineLibrary
{
public:
    /// Compiled pipelines are loaded from and saved to a file in `cacheFolder`; empty: neither.
    PipelineLibrary(const LogicalDevice &device, const std::filesystem::path &cacheFolder);
    ~PipelineLibrary();
    PipelineLibrary(const PipelineLibrary &) = delete;
    PipelineLibrary &operator=(const PipelineLibrary &) = delete;

    /// Creates the pipeline if it is not there. Error(Internal) for an unknown shader.
    const ComputePipeline &get(std::string_view shader, std::span<const std::uint32_t> constants,
                               std::uint32_t pushBytes);
    /// The same in the background; finish() waits for all of them and throws the first error.
    void request(std::string_view shader, std::span<const std::uint32_t> constants,
                 std::uint32_t pushBytes);
    void finish();
    /// How many there are, or will be when finish() returns.
    std::size_t count();

private:
    struct Entry
    {
        std::span<const std::uint32_t> code;
        std::vector<std::uint32_t> constants;
        std::uint32_t pushBytes = 0;
        enum class State { Waiting, Creating, Ready, Failed } state = State::Waiting;
        std::unique_ptr<ComputePipeline> pipeline;
        std::exception_ptr error;
    };
    Entry &find(std::string_view shader, std::span<const std::uint32_t> constants,
                std::uint32_t pushBytes);
    void create(Entry &entry, std::unique_lock<std::mutex> &lock);
    void work(std::stop_token stop);
    void dropRequests(const Error &error);

    const LogicalDevice &m_device;
    std::filesystem::path m_file; // empty: none
    VkPipelineCache m_cache = VK_NULL_HANDLE;
    bool m_changed = false; // since the file was read

    std::mutex m_mutex;
    std::condition_variable_any m_wake; // something was requested, or is done
    std::map<std::string, Entry, std::less<>> m_entries;
    std::deque<Entry *> m_requested;
    std::size_t m_unfinished = 0;
    std::exception_ptr m_firstError;
    std::vector<std::jthread> m_threads; // last: joined before anything goes
};

} // namespace fireside::vulkan
