#include "tests/survival/fault_layer.h"

#include "engine/vulkan/platform/functions.h"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

using fireside::test::FaultKind;
using fireside::vulkan::DeviceFunctions;

// Every call of the program that can fail, by the object it goes to. vkCreateInstance comes first:
// the others have their index.
#define FIRESIDE_FAULT_INSTANCE_CALLS(X)                                                           \
    X(CreateInstance)                                                                              \
    X(EnumeratePhysicalDevices) X(EnumerateDeviceExtensionProperties) X(CreateDevice)
#define FIRESIDE_FAULT_DEVICE_CALLS(X)                                                             \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateComputePipelines)                                                                      \
    X(CreatePipelineCache)                                                                         \
    X(CreatePipelineLayout)                                                                        \
    X(CreateQueryPool)                                                                             \
    X(CreateSemaphore)                                                                             \
    X(CreateShaderModule)                                                                          \
    X(EndCommandBuffer)                                                                            \
    X(GetPipelineCacheData)                                                                        \
    X(GetQueryPoolResults)                                                                         \
    X(GetSemaphoreCounterValue)                                                                    \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(ResetCommandPool)                                                                            \
    X(WaitSemaphores)

#define FIRESIDE_FAULT_INDEX(name) name,
enum Call : std::size_t {
    FIRESIDE_FAULT_INSTANCE_CALLS(FIRESIDE_FAULT_INDEX)
        FIRESIDE_FAULT_DEVICE_CALLS(FIRESIDE_FAULT_INDEX) kCalls
};
#undef FIRESIDE_FAULT_INDEX
#define FIRESIDE_FAULT_NAME(name) "vk" #name,
constexpr std::array<const char *, kCalls + 1> kNames{FIRESIDE_FAULT_INSTANCE_CALLS(
    FIRESIDE_FAULT_NAME) FIRESIDE_FAULT_DEVICE_CALLS(FIRESIDE_FAULT_NAME) nullptr};
#undef FIRESIDE_FAULT_NAME
constexpr std::array kKinds{"none", "host-memory", "device-memory", "lost", "timeout",
                            "hang", "abort",       "exit",          "stuck"};

// --- what is to happen, and what has ---

struct Plan
{
    std::size_t call = kCalls; // kCalls: any
    int nth = 0;               // from 1; 0: nothing fails
    FaultKind kind = FaultKind::None;
};

std::size_t indexOf(std::string_view name)
{
    return static_cast<std::size_t>(std::find(kNames.begin(), kNames.end() - 1, name) -
                                    kNames.begin());
}

class Script
{
public:
    Script()
    {
        if (const char *const told = std::getenv("FIRESIDE_FAULT")) {
            std::istringstream words(told);
            std::string call, kind;
            Plan plan;
            words >> call >> plan.nth >> kind;
            plan.call = indexOf(call);
            plan.kind = static_cast<FaultKind>(std::find(kKinds.begin(), kKinds.end(), kind) -
                                               kKinds.begin());
            m_plan = plan;
        }
    }
    ~Script()
    {
        const char *const path = std::getenv("FIRESIDE_FAULT_COUNTS");
        std::FILE *const file = path != nullptr ? std::fopen(path, "w") : nullptr;
        if (file == nullptr)
            return;
        for (std::size_t i = 0; i < kCalls; ++i)
            std::fprintf(file, "%s %d\n", kNames[i], m_counts[i]);
        std::fprintf(file, "fired %s\n", m_fired != nullptr ? m_fired : "nothing");
        std::fclose(file);
    }
    void arm(const Plan &plan)
    {
        const std::lock_guard lock(m_mutex);
        m_plan = plan;
        m_counts.fill(0);
        m_all = 0;
        m_fired = nullptr;
        endlessWaits = destroyedHanging = 0;
    }
    /// Counts the call; what is to happen to it.
    FaultKind next(std::size_t call)
    {
        const std::lock_guard lock(m_mutex);
        const int count = ++m_counts[call];
        ++m_all;
        if (m_fired != nullptr || (m_plan.call != kCalls && m_plan.call != call) ||
            (m_plan.call == kCalls ? m_all : count) != m_plan.nth)
            return FaultKind::None;
        m_fired = kNames[call];
        endProcess(m_plan.kind);
        return m_plan.kind;
    }
    int calls(std::size_t call)
    {
        const std::lock_guard lock(m_mutex);
        return call < kCalls ? m_counts[call] : m_all;
    }
    const char *fired()
    {
        const std::lock_guard lock(m_mutex);
        return m_fired;
    }
    std::atomic<int> endlessWaits = 0, destroyedHanging = 0;

private:
    static void endProcess(FaultKind kind)
    {
        if (kind == FaultKind::Abort)
            std::abort();
        if (kind == FaultKind::Exit)
            std::_Exit(0);
        while (kind == FaultKind::Stuck)
            std::this_thread::sleep_for(std::chrono::hours(1));
    }

    std::mutex m_mutex;
    Plan m_plan;
    std::array<int, kCalls> m_counts{};
    int m_all = 0;
    const char *m_fired = nullptr;
};

Script &script()
{
    static Script one;
    return one;
}

// --- the functions below this layer, by the loader's table that handles begin with ---

/// Asked for while the instance is created: later loaders answer with the top of the chain.
struct NextInstance
{
    NextInstance(PFN_vkGetInstanceProcAddr theFind, VkInstance theHandle)
        : find(theFind)
        , handle(theHandle)
    {
        get(destroy, "vkDestroyInstance");
        get(listDevices, "vkEnumeratePhysicalDevices");
        get(listExtensions, "vkEnumerateDeviceExtensionProperties");
        get(createDevice, "vkCreateDevice");
    }
    template <typename Function>
    void get(Function &function, const char *name) const
    {
        function = reinterpret_cast<Function>(find(handle, name));
    }
    PFN_vkGetInstanceProcAddr find;
    VkInstance handle;
    PFN_vkDestroyInstance destroy;
    PFN_vkEnumeratePhysicalDevices listDevices;
    PFN_vkEnumerateDeviceExtensionProperties listExtensions;
    PFN_vkCreateDevice createDevice;
};

struct NextDevice
{
    PFN_vkGetDeviceProcAddr find = nullptr;
    DeviceFunctions vk;
    PFN_vkDeviceWaitIdle waitIdle = nullptr;
    VkDevice handle = VK_NULL_HANDLE;
    std::atomic<bool> lost = false, hanging = false;
    std::shared_mutex submitting; // nothing is on its way to the driver when it is lost
};

template <typename Handle>
void *tableOf(Handle handle)
{
    return *reinterpret_cast<void **>(handle);
}

std::mutex g_mutex; // of both maps
std::map<void *, NextInstance> g_instances;
std::map<void *, std::shared_ptr<NextDevice>> g_devices;

template <typename Handle>
NextInstance nextInstance(Handle handle)
{
    const std::lock_guard lock(g_mutex);
    return g_instances.at(tableOf(handle));
}
template <typename Handle>
std::shared_ptr<NextDevice> nextDevice(Handle handle)
{
    const std::lock_guard lock(g_mutex);
    return g_devices.at(tableOf(handle));
}

// --- calls of a device ---

VkResult errorOf(FaultKind kind)
{
    switch (kind) {
    case FaultKind::HostMemory:
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    case FaultKind::DeviceMemory:
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case FaultKind::Lost:
        return VK_ERROR_DEVICE_LOST;
    case FaultKind::Timeout:
        return VK_TIMEOUT;
    default:
        return VK_SUCCESS;
    }
}

VkResult waitHanging(std::uint64_t limit)
{
    if (limit == ~std::uint64_t{0})
        ++script().endlessWaits;
    const char *const patience = std::getenv("FIRESIDE_FAULT_PATIENCE");
    const auto most =
        patience != nullptr ? static_cast<std::uint64_t>(std::atoll(patience)) * 1'000'000 : limit;
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::min({limit, most, std::uint64_t{1} << 62})));
    return VK_TIMEOUT;
}

/// What a hanging device says; nullopt-like VK_RESULT_MAX_ENUM: as always.
template <std::size_t call, typename... Arguments>
VkResult hangingAnswer([[maybe_unused]] Arguments... arguments)
{
    if constexpr (call == QueueSubmit) {
        return VK_SUCCESS;
    } else if constexpr (call == WaitSemaphores) {
        return waitHanging(std::get<1>(std::tuple(arguments...)));
    } else if constexpr (call == GetSemaphoreCounterValue) {
        *std::get<1>(std::tuple(arguments...)) = 0;
        return VK_SUCCESS;
    }
    return VK_RESULT_MAX_ENUM;
}

template <std::size_t call, auto Member, typename Function>
struct Hook;
template <std::size_t call, auto Member, typename Handle, typename... Arguments>
struct Hook<call, Member, VkResult(VKAPI_PTR *)(Handle, Arguments...)>
{
    static VkResult VKAPI_CALL run(Handle handle, Arguments... arguments)
    {
        const std::shared_ptr<NextDevice> device = nextDevice(handle);
        const FaultKind fault = script().next(call);
        if (fault == FaultKind::Lost) {
            const std::unique_lock alone(device->submitting);
            // What is lost does not go on working: nobody hears of it before all has ended.
            device->waitIdle(device->handle);
            device->lost = true;
        }
        std::shared_lock together(device->submitting, std::defer_lock);
        if (call == QueueSubmit)
            together.lock();
        if (fault == FaultKind::Hang)
            device->hanging = true;
        if (device->lost)
            return VK_ERROR_DEVICE_LOST;
        if (device->hanging)
            if (const VkResult answer = hangingAnswer<call>(arguments...);
                answer != VK_RESULT_MAX_ENUM)
                return answer;
        if (const VkResult error = errorOf(fault); error != VK_SUCCESS)
            return error;
        return (device->vk.*Member)(handle, arguments...);
    }
};

void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks *allocator)
{
    if (device == VK_NULL_HANDLE)
        return;
    std::shared_ptr<NextDevice> next;
    {
        const std::lock_guard lock(g_mutex);
        const auto found = g_devices.find(tableOf(device));
        next = found->second;
        g_devices.erase(found);
    }
    if (next->hanging)
        ++script().destroyedHanging;
    next->vk.DestroyDevice(device, allocator);
}

// --- calls of an instance ---

template <typename Info>
Info *linkOf(const void *next, VkStructureType type)
{
    for (auto *s = static_cast<const VkBaseInStructure *>(next); s != nullptr; s = s->pNext) {
        auto *const info = reinterpret_cast<Info *>(const_cast<VkBaseInStructure *>(s));
        if (s->sType == type && info->function == VK_LAYER_LINK_INFO)
            return info;
    }
    return nullptr;
}

VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo *info,
                                   const VkAllocationCallbacks *allocator, VkInstance *out)
{
    auto *const link = linkOf<VkLayerInstanceCreateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == nullptr)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr find = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (const VkResult error = errorOf(script().next(CreateInstance)); error != VK_SUCCESS)
        return error;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(find(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, out);
    if (result == VK_SUCCESS) {
        const std::lock_guard lock(g_mutex);
        g_instances.insert_or_assign(tableOf(*out), NextInstance(find, *out));
    }
    return result;
}

void VKAPI_CALL destroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    if (instance == VK_NULL_HANDLE)
        return;
    const NextInstance next = nextInstance(instance);
    {
        const std::lock_guard lock(g_mutex);
        g_instances.erase(tableOf(instance));
    }
    next.destroy(instance, allocator);
}

VkResult VKAPI_CALL enumeratePhysicalDevices(VkInstance instance, std::uint32_t *count,
                                             VkPhysicalDevice *out)
{
    if (const VkResult error = errorOf(script().next(EnumeratePhysicalDevices)))
        return error;
    return nextInstance(instance).listDevices(instance, count, out);
}

VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice device, const char *layer,
                                        std::uint32_t *count, VkExtensionProperties *out)
{
    if (layer != nullptr && std::strcmp(layer, fireside::test::kFaultLayer) == 0) {
        *count = 0;
        return VK_SUCCESS;
    }
    if (const VkResult error = errorOf(script().next(EnumerateDeviceExtensionProperties)))
        return error;
    return nextInstance(device).listExtensions(device, layer, count, out);
}

VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                 const VkAllocationCallbacks *allocator, VkDevice *out)
{
    auto *const link =
        linkOf<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (link == nullptr)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetDeviceProcAddr findInDevice = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (const VkResult error = errorOf(script().next(CreateDevice)); error != VK_SUCCESS)
        return error;
    const VkResult result = nextInstance(physical).createDevice(physical, info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    auto next = std::make_shared<NextDevice>();
    next->find = findInDevice;
    next->handle = *out;
    next->waitIdle = reinterpret_cast<PFN_vkDeviceWaitIdle>(findInDevice(*out, "vkDeviceWaitIdle"));
#define FIRESIDE_FAULT_LOAD(name)                                                                  \
    next->vk.name = reinterpret_cast<PFN_vk##name>(findInDevice(*out, "vk" #name));
    FIRESIDE_VULKAN_DEVICE_FUNCTIONS(FIRESIDE_FAULT_LOAD)
#undef FIRESIDE_FAULT_LOAD
    const std::lock_guard lock(g_mutex);
    g_devices[tableOf(*out)] = std::move(next);
    return result;
}

// --- what the loader asks for ---

struct Entry
{
    const char *name;
    PFN_vkVoidFunction function;
};

PFN_vkVoidFunction VKAPI_CALL findInInstance(VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL findInDevice(VkDevice device, const char *name);

template <typename Function>
PFN_vkVoidFunction erased(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction ofDevice(std::string_view name)
{
#define FIRESIDE_FAULT_ENTRY(call)                                                                 \
    {"vk" #call, erased(&Hook<call, &DeviceFunctions::call, decltype(DeviceFunctions::call)>::run)},
    static const Entry entries[] = {FIRESIDE_FAULT_DEVICE_CALLS(FIRESIDE_FAULT_ENTRY){
                                        "vkDestroyDevice", erased(&destroyDevice)},
                                    {"vkGetDeviceProcAddr", erased(&findInDevice)}};
#undef FIRESIDE_FAULT_ENTRY
    for (const Entry &entry : entries)
        if (name == entry.name)
            return entry.function;
    return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL findInInstance(VkInstance instance, const char *name)
{
    static const Entry entries[] = {
        {"vkCreateInstance", erased(&createInstance)},
        {"vkDestroyInstance", erased(&destroyInstance)},
        {"vkEnumeratePhysicalDevices", erased(&enumeratePhysicalDevices)},
        {"vkEnumerateDeviceExtensionProperties", erased(&enumerateExtensions)},
        {"vkCreateDevice", erased(&createDevice)},
        {"vkGetInstanceProcAddr", erased(&findInInstance)}};
    for (const Entry &entry : entries)
        if (std::strcmp(name, entry.name) == 0)
            return entry.function;
    if (const PFN_vkVoidFunction found = ofDevice(name))
        return found;
    return instance != VK_NULL_HANDLE ? nextInstance(instance).find(instance, name) : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL findInDevice(VkDevice device, const char *name)
{
    if (const PFN_vkVoidFunction found = ofDevice(name))
        return found;
    return nextDevice(device)->find(device, name);
}

} // namespace

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version)
{
    version->loaderLayerInterfaceVersion =
        std::min<std::uint32_t>(version->loaderLayerInterfaceVersion, 2);
    version->pfnGetInstanceProcAddr = findInInstance;
    version->pfnGetDeviceProcAddr = findInDevice;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}

void fireside_fault_arm(const char *call, int nth, int kind)
{
    script().arm({call != nullptr ? indexOf(call) : kCalls, nth, static_cast<FaultKind>(kind)});
}
int fireside_fault_calls(const char *call)
{
    return script().calls(call != nullptr ? indexOf(call) : kCalls);
}
const char *fireside_fault_fired()
{
    return script().fired();
}
int fireside_fault_endless_waits()
{
    return script().endlessWaits;
}
int fireside_fault_destroyed_hanging()
{
    return script().destroyedHanging;
}
const char *const *fireside_fault_names()
{
    return kNames.data();
}
}
