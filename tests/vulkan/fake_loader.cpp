#include "engine/vulkan/platform/api.h"
#include "shaders/common/self_test.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

// A whole Vulkan in one library, as much of it as the device checks use. The environment says how
// it misbehaves: FIRESIDE_FAKE_VULKAN holds one word, FIRESIDE_FAKE_FAIL=N makes the Nth call that
// can fail return VK_ERROR_OUT_OF_DEVICE_MEMORY, FIRESIDE_FAKE_LOSE="submit N" or "wait N" loses
// the device there, "allocate N" is memory that ran out. "Memory" is host memory; dispatch does the
// self-test's sums, or nothing when the word is "idle", or nothing else when it is "self-test".
namespace {

std::atomic<int> g_alive = 0; // objects created and not destroyed
std::atomic<int> g_calls = 0; // calls that can fail
std::recursive_mutex g_mutex; // of what follows
std::map<std::uint64_t, std::unique_ptr<char[]>> g_memory;
std::map<std::uint64_t, std::uint64_t> g_buffers; // the memory of each
std::map<std::uint64_t, std::uint64_t> g_sizes;   // the bytes of each
SelfTestPush g_push;

bool told(std::string_view word)
{
    const char *const value = std::getenv("FIRESIDE_FAKE_VULKAN");
    return value != nullptr && word == value;
}

bool g_selfTest = false; // what was pushed last are its addresses and numbers

bool idle()
{
    return told("idle") || (told("self-test") && !g_selfTest);
}

/// Counts the call; an error when it is this one's turn.
VkResult turn(VkResult otherwise = VK_SUCCESS)
{
    const char *const value = std::getenv("FIRESIDE_FAKE_FAIL");
    return ++g_calls == (value != nullptr ? std::atoi(value) : 0) ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                                                  : otherwise;
}

/// What FIRESIDE_FAKE_LOSE counts.
enum class Event { Submit, Wait, Allocate, Count };
std::array<std::atomic<int>, static_cast<std::size_t>(Event::Count)> g_events{};
std::atomic<bool> g_lost = false; // until a device is created again

/// Counts; true when it is this one's turn.
bool lose(Event event, std::string_view name)
{
    const int count = ++g_events[static_cast<std::size_t>(event)];
    const char *const value = std::getenv("FIRESIDE_FAKE_LOSE");
    return value != nullptr && std::string(name) + ' ' + std::to_string(count) == value;
}
VkResult lostOr(bool nowLost, VkResult otherwise)
{
    if (nowLost)
        g_lost = true;
    return g_lost ? VK_ERROR_DEVICE_LOST : otherwise;
}

/// Gives out a handle when `result` allows it.
template <typename Handle>
VkResult make(VkResult result, Handle *out)
{
    if (result == VK_SUCCESS) {
        static std::atomic<std::uintptr_t> next = 0x1000;
        *out = reinterpret_cast<Handle>(next += 16);
        ++g_alive;
    }
    return result;
}

template <typename Handle>
void drop(Handle handle)
{
    if (handle != VK_NULL_HANDLE)
        --g_alive;
}

VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo *, const VkAllocationCallbacks *,
                                   VkInstance *out)
{
    if (told("no-driver"))
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    return make(turn(told("broken-driver") ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS), out);
}
void VKAPI_CALL destroyInstance(VkInstance i, const VkAllocationCallbacks *)
{
    drop(i);
}

VkResult VKAPI_CALL enumerateInstanceVersion(std::uint32_t *version)
{
    *version = told("old-loader") ? VK_API_VERSION_1_1 : VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

VkResult VKAPI_CALL enumeratePhysicalDevices(VkInstance, std::uint32_t *count,
                                             VkPhysicalDevice *out)
{
    const std::uint32_t present = told("no-device")                           ? 0
                                  : told("endless-devices") && out == nullptr ? ~0U
                                                                              : 1;
    if (out != nullptr && *count > 0)
        out[0] = reinterpret_cast<VkPhysicalDevice>(0x42);
    *count = present;
    return turn();
}

VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice, const char *, std::uint32_t *count,
                                        VkExtensionProperties *out)
{
    if (out != nullptr && *count > 0)
        std::memset(out[0].extensionName, 'x', sizeof out[0].extensionName); // not terminated
    if (out != nullptr && *count > 1)
        std::strcpy(out[1].extensionName, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    *count = 2;
    return turn();
}

void VKAPI_CALL properties(VkPhysicalDevice, VkPhysicalDeviceProperties *out)
{
    *out = {};
    out->apiVersion = told("old-device") ? VK_API_VERSION_1_1 : VK_API_VERSION_1_2;
    out->vendorID = 0x1002;
    out->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    std::memset(out->deviceName, 'F', sizeof out->deviceName); // not terminated
}

template <typename Struct>
Struct *chained(void *next, VkStructureType type)
{
    for (auto *s = static_cast<VkBaseOutStructure *>(next); s != nullptr; s = s->pNext)
        if (s->sType == type)
            return reinterpret_cast<Struct *>(s);
    return nullptr;
}

void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out)
{
    properties(device, &out->properties);
    auto *const p11 = chained<VkPhysicalDeviceVulkan11Properties>(
        out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    p11->subgroupSize = 64;
    p11->subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    p11->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    if (!told("no-subgroups"))
        p11->subgroupSupportedOperations |= VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
}

void VKAPI_CALL features2(VkPhysicalDevice, VkPhysicalDeviceFeatures2 *out)
{
    auto *const f11 = chained<VkPhysicalDeviceVulkan11Features>(
        out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    auto *const f12 = chained<VkPhysicalDeviceVulkan12Features>(
        out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    f11->storageBuffer16BitAccess = !told("no-16bit");
    f12->storageBuffer8BitAccess = !told("no-8bit");
    f12->bufferDeviceAddress = !told("no-addresses");
    f12->scalarBlockLayout = !told("no-scalar");
    f12->timelineSemaphore = !told("no-timeline");
}

void VKAPI_CALL memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *out)
{
    *out = {};
    out->memoryHeapCount = told("absurd-counts") ? ~0U : 3;
    out->memoryHeaps[0] = {256'000'000, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    out->memoryHeaps[1] = {8'000'000'000, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    out->memoryHeaps[2] = {16'000'000'000, 0};
    out->memoryTypeCount = told("absurd-counts") ? ~0U : 2;
    out->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1};
    out->memoryTypes[1] = {told("no-host-memory") ? 0U
                                                  : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           2};
}
void VKAPI_CALL memory2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *out)
{
    memory(device, &out->memoryProperties);
    auto *const budget = chained<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
        out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    budget->heapBudget[1] = 7'000'000'000;
    budget->heapUsage[1] = told("overcommitted") ? 9'000'000'000 : 1'000'000'000;
}

void VKAPI_CALL queueFamilies(VkPhysicalDevice, std::uint32_t *count, VkQueueFamilyProperties *out)
{
    if (out != nullptr && *count > 0) {
        out[0] = {};
        out[0].queueFlags = told("no-compute") ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT;
        out[0].queueCount = 1;
    }
    *count = 1;
}

// --- the logical device ---

VkResult VKAPI_CALL createDevice(VkPhysicalDevice, const VkDeviceCreateInfo *,
                                 const VkAllocationCallbacks *, VkDevice *out)
{
    g_lost = false;
    return make(turn(), out);
}
void VKAPI_CALL destroyDevice(VkDevice d, const VkAllocationCallbacks *)
{
    drop(d);
}
void VKAPI_CALL getQueue(VkDevice, std::uint32_t, std::uint32_t, VkQueue *out)
{
    *out = reinterpret_cast<VkQueue>(0x77);
}

#define CREATE_AND_DESTROY(Name, Info)                                                             \
    VkResult VKAPI_CALL create##Name(VkDevice, const Info *, const VkAllocationCallbacks *,        \
                                     Vk##Name *out)                                                \
    {                                                                                              \
        return make(turn(), out);                                                                  \
    }                                                                                              \
    void VKAPI_CALL destroy##Name(VkDevice, Vk##Name handle, const VkAllocationCallbacks *)        \
    {                                                                                              \
        drop(handle);                                                                              \
    }
CREATE_AND_DESTROY(CommandPool, VkCommandPoolCreateInfo)
CREATE_AND_DESTROY(PipelineCache, VkPipelineCacheCreateInfo)
CREATE_AND_DESTROY(QueryPool, VkQueryPoolCreateInfo)
CREATE_AND_DESTROY(PipelineLayout, VkPipelineLayoutCreateInfo)
CREATE_AND_DESTROY(Semaphore, VkSemaphoreCreateInfo)
CREATE_AND_DESTROY(ShaderModule, VkShaderModuleCreateInfo)
#undef CREATE_AND_DESTROY

VkResult VKAPI_CALL createBuffer(VkDevice, const VkBufferCreateInfo *info,
                                 const VkAllocationCallbacks *, VkBuffer *out)
{
    const VkResult result = make(turn(), out);
    const std::lock_guard lock(g_mutex);
    if (result == VK_SUCCESS)
        g_sizes[(std::uint64_t)*out] = info->size;
    return result;
}
void VKAPI_CALL destroyBuffer(VkDevice, VkBuffer handle, const VkAllocationCallbacks *)
{
    drop(handle);
}

VkResult VKAPI_CALL createPipelines(VkDevice, VkPipelineCache, std::uint32_t,
                                    const VkComputePipelineCreateInfo *,
                                    const VkAllocationCallbacks *, VkPipeline *out)
{
    return make(turn(), out);
}
void VKAPI_CALL destroyPipeline(VkDevice, VkPipeline p, const VkAllocationCallbacks *)
{
    drop(p);
}

void VKAPI_CALL requirementsOf(VkDevice, VkBuffer buffer, VkMemoryRequirements *out)
{
    const std::lock_guard lock(g_mutex);
    *out = {g_sizes[(std::uint64_t)buffer], 256, 3};
}
VkResult VKAPI_CALL allocateMemory(VkDevice, const VkMemoryAllocateInfo *info,
                                   const VkAllocationCallbacks *, VkDeviceMemory *out)
{
    const bool none = lose(Event::Allocate, "allocate");
    const VkResult result = make(turn(none ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS), out);
    const std::lock_guard lock(g_mutex);
    if (result == VK_SUCCESS)
        g_memory[(std::uint64_t)*out] = std::make_unique<char[]>(info->allocationSize);
    return result;
}
void VKAPI_CALL freeMemory(VkDevice, VkDeviceMemory m, const VkAllocationCallbacks *)
{
    const std::lock_guard lock(g_mutex);
    g_memory.erase((std::uint64_t)m);
    drop(m);
}
VkResult VKAPI_CALL bindMemory(VkDevice, VkBuffer buffer, VkDeviceMemory m, VkDeviceSize)
{
    const std::lock_guard lock(g_mutex);
    g_buffers[(std::uint64_t)buffer] = (std::uint64_t)m;
    return turn();
}
VkResult VKAPI_CALL mapMemory(VkDevice, VkDeviceMemory m, VkDeviceSize, VkDeviceSize,
                              VkMemoryMapFlags, void **out)
{
    const std::lock_guard lock(g_mutex);
    *out = g_memory[(std::uint64_t)m].get();
    return turn();
}
char *memoryOf(VkBuffer buffer)
{
    const std::lock_guard lock(g_mutex);
    const auto bound = g_buffers.find((std::uint64_t)buffer);
    return bound == g_buffers.end() ? nullptr : g_memory[bound->second].get();
}
VkDeviceAddress VKAPI_CALL address(VkDevice, const VkBufferDeviceAddressInfo *info)
{
    return told("no-address") ? 0 : reinterpret_cast<VkDeviceAddress>(memoryOf(info->buffer));
}

VkResult VKAPI_CALL allocateCommands(VkDevice, const VkCommandBufferAllocateInfo *,
                                     VkCommandBuffer *out)
{
    *out = reinterpret_cast<VkCommandBuffer>(0x99);
    return turn();
}
VkResult VKAPI_CALL begin(VkCommandBuffer, const VkCommandBufferBeginInfo *)
{
    return turn();
}
VkResult VKAPI_CALL end(VkCommandBuffer)
{
    return turn();
}
void VKAPI_CALL bindPipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline) {}
void VKAPI_CALL barrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                        VkDependencyFlags, std::uint32_t, const VkMemoryBarrier *, std::uint32_t,
                        const VkBufferMemoryBarrier *, std::uint32_t, const VkImageMemoryBarrier *)
{}
void VKAPI_CALL pushConstants(VkCommandBuffer, VkPipelineLayout, VkShaderStageFlags, std::uint32_t,
                              std::uint32_t size, const void *values)
{
    constexpr std::uint32_t kCount = 4099; // no model of the tests has so many of anything
    std::memcpy(&g_push, values, std::min<std::size_t>(size, sizeof g_push));
    g_selfTest = size == sizeof g_push && g_push.count == kCount;
}

/// What shaders/probe/self_test.comp does.
void VKAPI_CALL dispatch(VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t)
{
    if (idle())
        return;
    const auto *const x = reinterpret_cast<const float *>(g_push.x);
    const auto *const q = reinterpret_cast<const signed char *>(g_push.q);
    auto *const y = reinterpret_cast<float *>(g_push.y);
    auto *const h = reinterpret_cast<_Float16 *>(g_push.h);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < g_push.count; ++i) {
        y[i] = g_push.a * x[i] + g_push.b + static_cast<float>(q[i]);
        h[i] = static_cast<_Float16>(static_cast<float>(q[i]) / 4);
        sum += i;
    }
    if (told("wrong-value"))
        y[4098] += 1;
    if (told("wrong-half"))
        h[17] = 0;
    *reinterpret_cast<std::uint32_t *>(g_push.sum) = told("wrong-sum") ? sum - 1 : sum;
}

VkResult VKAPI_CALL submit(VkQueue, std::uint32_t, const VkSubmitInfo *, VkFence)
{
    return turn(lostOr(told("lost-at-submit") || lose(Event::Submit, "submit"), VK_SUCCESS));
}
VkResult VKAPI_CALL wait(VkDevice, const VkSemaphoreWaitInfo *, std::uint64_t)
{
    return turn(lostOr(told("lost-at-wait") || lose(Event::Wait, "wait"),
                       told("hang") ? VK_TIMEOUT : VK_SUCCESS));
}

void VKAPI_CALL copyBuffer(VkCommandBuffer, VkBuffer from, VkBuffer to, std::uint32_t count,
                           const VkBufferCopy *regions)
{
    for (std::uint32_t i = 0; i < count; ++i)
        std::memmove(memoryOf(to) + regions[i].dstOffset, memoryOf(from) + regions[i].srcOffset,
                     regions[i].size);
}
void VKAPI_CALL fillBuffer(VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, std::uint32_t) {}
void VKAPI_CALL resetQueries(VkCommandBuffer, VkQueryPool, std::uint32_t, std::uint32_t) {}
void VKAPI_CALL writeTimestamp(VkCommandBuffer, VkPipelineStageFlagBits, VkQueryPool, std::uint32_t)
{}
VkResult VKAPI_CALL cacheData(VkDevice, VkPipelineCache, std::size_t *bytes, void *)
{
    *bytes = 0;
    return turn();
}
VkResult VKAPI_CALL queryResults(VkDevice, VkQueryPool, std::uint32_t, std::uint32_t,
                                 std::size_t bytes, void *out, VkDeviceSize, VkQueryResultFlags)
{
    std::memset(out, 0, bytes);
    return turn();
}
VkResult VKAPI_CALL counterValue(VkDevice, VkSemaphore, std::uint64_t *out)
{
    *out = ~std::uint64_t{0};
    return turn();
}
VkResult VKAPI_CALL resetPool(VkDevice, VkCommandPool, VkCommandPoolResetFlags)
{
    return turn();
}

template <typename Function>
PFN_vkVoidFunction erase(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction find(std::string_view name);
PFN_vkVoidFunction VKAPI_CALL deviceProc(VkDevice, const char *name)
{
    return find(name);
}

PFN_vkVoidFunction find(std::string_view name)
{
    if (told("lacks-" + std::string(name)))
        return nullptr;
    static const std::map<std::string_view, PFN_vkVoidFunction> functions{
        {"vkCreateInstance", erase(createInstance)},
        {"vkDestroyInstance", erase(destroyInstance)},
        {"vkEnumerateInstanceVersion", erase(enumerateInstanceVersion)},
        {"vkEnumeratePhysicalDevices", erase(enumeratePhysicalDevices)},
        {"vkEnumerateDeviceExtensionProperties", erase(enumerateExtensions)},
        {"vkGetDeviceProcAddr", erase(deviceProc)},
        {"vkGetPhysicalDeviceProperties", erase(properties)},
        {"vkGetPhysicalDeviceProperties2", erase(properties2)},
        {"vkGetPhysicalDeviceFeatures2", erase(features2)},
        {"vkGetPhysicalDeviceMemoryProperties", erase(memory)},
        {"vkGetPhysicalDeviceMemoryProperties2", erase(memory2)},
        {"vkGetPhysicalDeviceQueueFamilyProperties", erase(queueFamilies)},
        {"vkCreateDevice", erase(createDevice)},
        {"vkDestroyDevice", erase(destroyDevice)},
        {"vkGetDeviceQueue", erase(getQueue)},
        {"vkCreateBuffer", erase(createBuffer)},
        {"vkDestroyBuffer", erase(destroyBuffer)},
        {"vkCreateCommandPool", erase(createCommandPool)},
        {"vkDestroyCommandPool", erase(destroyCommandPool)},
        {"vkCreatePipelineLayout", erase(createPipelineLayout)},
        {"vkDestroyPipelineLayout", erase(destroyPipelineLayout)},
        {"vkCreateSemaphore", erase(createSemaphore)},
        {"vkDestroySemaphore", erase(destroySemaphore)},
        {"vkCreateShaderModule", erase(createShaderModule)},
        {"vkDestroyShaderModule", erase(destroyShaderModule)},
        {"vkCreateComputePipelines", erase(createPipelines)},
        {"vkDestroyPipeline", erase(destroyPipeline)},
        {"vkGetBufferMemoryRequirements", erase(requirementsOf)},
        {"vkAllocateMemory", erase(allocateMemory)},
        {"vkFreeMemory", erase(freeMemory)},
        {"vkBindBufferMemory", erase(bindMemory)},
        {"vkMapMemory", erase(mapMemory)},
        {"vkGetBufferDeviceAddress", erase(address)},
        {"vkAllocateCommandBuffers", erase(allocateCommands)},
        {"vkBeginCommandBuffer", erase(begin)},
        {"vkEndCommandBuffer", erase(end)},
        {"vkCmdBindPipeline", erase(bindPipeline)},
        {"vkCmdPipelineBarrier", erase(barrier)},
        {"vkCmdPushConstants", erase(pushConstants)},
        {"vkCmdDispatch", erase(dispatch)},
        {"vkCreatePipelineCache", erase(createPipelineCache)},
        {"vkDestroyPipelineCache", erase(destroyPipelineCache)},
        {"vkCreateQueryPool", erase(createQueryPool)},
        {"vkDestroyQueryPool", erase(destroyQueryPool)},
        {"vkCmdCopyBuffer", erase(copyBuffer)},
        {"vkCmdFillBuffer", erase(fillBuffer)},
        {"vkCmdResetQueryPool", erase(resetQueries)},
        {"vkCmdWriteTimestamp", erase(writeTimestamp)},
        {"vkGetPipelineCacheData", erase(cacheData)},
        {"vkGetQueryPoolResults", erase(queryResults)},
        {"vkGetSemaphoreCounterValue", erase(counterValue)},
        {"vkResetCommandPool", erase(resetPool)},
        {"vkQueueSubmit", erase(submit)},
        {"vkWaitSemaphores", erase(wait)},
    };
    const auto entry = functions.find(name);
    return entry == functions.end() ? nullptr : entry->second;
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance,
                                                                                const char *name)
{
    return find(name);
}
/// For the tests: objects alive, and calls so far that could have failed. Both start again from
/// zero.
__attribute__((visibility("default"))) int fakeObjectsAlive()
{
    return g_alive.exchange(0);
}
__attribute__((visibility("default"))) int fakeCalls()
{
    return g_calls.exchange(0);
}
/// How often each thing that FIRESIDE_FAKE_LOSE names has happened: 0 submit, 1 wait, 2 allocate.
__attribute__((visibility("default"))) int fakeEvents(int event)
{
    return g_events[static_cast<std::size_t>(event)].exchange(0);
}
}
