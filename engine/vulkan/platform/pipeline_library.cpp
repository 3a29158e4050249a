#include "engine/vulkan/platform/pipeline_library.h"

#include "engine/core/exception_guard.h"
#include "engine/vulkan/platform/pipeline_cache_file.h"
#include "engine/vulkan/platform/result.h"
#include "shaders/embedded_shaders.h"

#include <algorithm>
#include <utility>

namespace fireside::vulkan {
namespace {

constexpr unsigned kMaxThreads = 16;

std::string keyOf(std::string_view shader, std::span<const std::uint32_t> constants)
{
    std::string key(shader);
    key.push_back('\0');
    key.append(reinterpret_cast<const char *>(constants.data()), constants.size_bytes());
    return key;
}

} // namespace

PipelineLibrary::PipelineLibrary(const LogicalDevice &device,
                                 const std::filesystem::path &cacheFolder)
    : m_device(device)
{
    if (!cacheFolder.empty())
        m_file = cacheFolder / pipelineCacheName(device.physical());
    const std::vector<std::byte> kept =
        m_file.empty() ? std::vector<std::byte>() : loadPipelineCache(m_file, device.physical());
    VkPipelineCacheCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
    info.initialDataSize = kept.size();
    info.pInitialData = kept.data();
    const DeviceFunctions &vk = device.functions();
    VkResult result = vk.CreatePipelineCache(device.handle(), &info, nullptr, &m_cache);
    if (result < 0 && !kept.empty()) { // a file the driver cannot use is as good as none
        info.initialDataSize = 0;
        info.pInitialData = nullptr;
        result = vk.CreatePipelineCache(device.handle(), &info, nullptr, &m_cache);
    }
    check("vkCreatePipelineCache", result);
}

PipelineLibrary::~PipelineLibrary()
{
    for (std::jthread &thread : m_threads)
        thread.request_stop();
    m_threads.clear();
    if (m_device.abandoned()) {
        for (auto &[key, entry] : m_entries)
            entry.pipeline.reset();
        return;
    }
    if (m_changed && !m_file.empty())
        savePipelineCache(m_file, m_device, m_cache);
    m_entries.clear();
    m_device.functions().DestroyPipelineCache(m_device.handle(), m_cache, nullptr);
}

PipelineLibrary::Entry &PipelineLibrary::find(std::string_view shader,
                                              std::span<const std::uint32_t> constants,
                                              std::uint32_t pushBytes)
{
    std::string key = keyOf(shader, constants);
    auto found = m_entries.find(key);
    if (found == m_entries.end()) {
        const std::span<const std::uint32_t> code = embeddedShader(shader);
        if (code.empty())
            throw Error(ErrorKind::Internal,
                        "this build has no shader '" + std::string(shader) + "'");
        found = m_entries.emplace(std::move(key), Entry{}).first;
        found->second.code = code;
        found->second.constants.assign(constants.begin(), constants.end());
        found->second.pushBytes = pushBytes;
    }
    if (found->second.pushBytes != pushBytes)
        throw Error(ErrorKind::Internal, "shader '" + std::string(shader) + "' is given " +
                                             std::to_string(pushBytes) +
                                             " bytes of push constants, before " +
                                             std::to_string(found->second.pushBytes));
    return found->second;
}

/// The lock is released meanwhile. A map's elements stay where they are.
void PipelineLibrary::create(Entry &entry, std::unique_lock<std::mutex> &lock)
{
    entry.state = Entry::State::Creating;
    lock.unlock();
    std::unique_ptr<ComputePipeline> pipeline;
    std::exception_ptr error;
    try {
        pipeline = std::make_unique<ComputePipeline>(m_device, entry.code, entry.pushBytes,
                                                     entry.constants, m_cache);
    } catch (...) {
        error = std::current_exception();
    }
    lock.lock();
    entry.pipeline = std::move(pipeline);
    entry.error = error;
    entry.state = error ? Entry::State::Failed : Entry::State::Ready;
    m_changed = true;
    m_wake.notify_all();
}

const ComputePipeline &PipelineLibrary::get(std::string_view shader,
                                            std::span<const std::uint32_t> constants,
                                            std::uint32_t pushBytes)
{
    std::unique_lock lock(m_mutex);
    Entry &entry = find(shader, constants, pushBytes);
    if (entry.state == Entry::State::Waiting)
        create(entry, lock);
    m_wake.wait(lock, [&] { return entry.state != Entry::State::Creating; });
    if (entry.state == Entry::State::Failed) {
        entry.state = Entry::State::Waiting; // the next one tries again
        std::rethrow_exception(entry.error);
    }
    return *entry.pipeline;
}

void PipelineLibrary::request(std::string_view shader, std::span<const std::uint32_t> constants,
                              std::uint32_t pushBytes)
{
    const std::lock_guard lock(m_mutex);
    Entry &entry = find(shader, constants, pushBytes);
    if (entry.state != Entry::State::Waiting ||
        std::find(m_requested.begin(), m_requested.end(), &entry) != m_requested.end())
        return;
    if (m_threads.empty()) {
        const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
        for (unsigned i = 0; i < count; ++i)
            m_threads.emplace_back([this](const std::stop_token &stop) {
                containExceptions(
                    "vulkan.pipelines", [&] { work(stop); },
                    [this](const Error &error) { dropRequests(error); });
            });
    }
    m_requested.push_back(&entry);
    ++m_unfinished;
    m_wake.notify_all();
}

void PipelineLibrary::finish()
{
    std::unique_lock lock(m_mutex);
    m_wake.wait(lock, [this] { return m_unfinished == 0; });
    if (m_firstError)
        std::rethrow_exception(std::exchange(m_firstError, nullptr));
}

std::size_t PipelineLibrary::count()
{
    const std::lock_guard lock(m_mutex);
    return m_entries.size();
}

/// A thread ends with an error: nothing waits for what no thread may take any more.
void PipelineLibrary::dropRequests(const Error &error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_firstError)
        m_firstError = std::make_exception_ptr(error);
    m_unfinished -= m_requested.size();
    m_requested.clear();
    m_wake.notify_all();
}

void PipelineLibrary::work(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return !m_requested.empty(); }) &&
           !stop.stop_requested()) {
        Entry &entry = *m_requested.front();
        m_requested.pop_front();
        if (entry.state == Entry::State::Waiting)
            create(entry, lock);
        m_wake.wait(lock, [&] { return entry.state != Entry::State::Creating; });
        if (entry.state == Entry::State::Failed) {
            entry.state = Entry::State::Waiting;
            if (!m_firstError)
                m_firstError = entry.error;
        }
        --m_unfinished;
        m_wake.notify_all();
    }
}

} // namespace fireside::vulkan
