#include "engine/vulkan/platform/instance.h"

#include "engine/core/exception_guard.h"
#include "engine/vulkan/platform/result.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

namespace fireside::vulkan {
namespace {

InstanceFunctions loadFunctions(const Loader &loader, VkInstance instance)
{
    InstanceFunctions functions;
    const PFN_vkGetInstanceProcAddr find = loader.functions().GetInstanceProcAddr;
#define LOAD(function)                                                                             \
    functions.function = reinterpret_cast<PFN_vk##function>(find(instance, "vk" #function));       \
    if (functions.function == nullptr)                                                             \
        throw Error(ErrorKind::Device, loader.name() + " has no function vk" #function);
    FIRESIDE_VULKAN_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
#ifdef VK_KHR_cooperative_matrix
    functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR =
        reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
            find(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
#endif
    return functions;
}

VKAPI_ATTR VkBool32 VKAPI_CALL collect(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                       VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    constexpr std::size_t kEnough = 500;
    auto &text = *static_cast<std::string *>(user);
    containExceptions("vulkan.loader_message", [&] {
        if (data != nullptr && data->pMessage != nullptr && text.size() < kEnough)
            text += (text.empty() ? "" : "; ") + std::string(data->pMessage).substr(0, kEnough);
    });
    return VK_FALSE;
}

bool offersDebugUtils(const GlobalFunctions &vk)
{
    std::uint32_t count = 0;
    if (vk.EnumerateInstanceExtensionProperties == nullptr ||
        vk.EnumerateInstanceExtensionProperties(nullptr, &count, nullptr) != VK_SUCCESS)
        return false;
    std::vector<VkExtensionProperties> extensions(std::min<std::uint32_t>(count, 4096));
    count = static_cast<std::uint32_t>(extensions.size());
    if (vk.EnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()) < 0)
        return false;
    return std::any_of(extensions.begin(), extensions.end(), [](const VkExtensionProperties &e) {
        return std::strncmp(e.extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                            sizeof e.extensionName) == 0;
    });
}

/// What is loaded now stays until the program ends. A driver that is loaded anew for each instance
/// takes memory for its threads' variables each time from a small store of the C library, to which
/// nothing comes back: after a dozen times NVIDIA's cannot be loaded any more.
void keepLibraries()
{
    std::vector<std::string> names;
    const auto take = [](dl_phdr_info *library, std::size_t, void *list) {
        if (library->dlpi_name != nullptr && *library->dlpi_name != '\0')
            static_cast<std::vector<std::string> *>(list)->emplace_back(library->dlpi_name);
        return 0;
    };
    ::dl_iterate_phdr(take, &names);
    for (const std::string &name : names) // the handles are not needed
        ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

} // namespace

Instance::Instance(const Loader &loader, std::string *loaderErrors)
{
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "Fireside";
    application.pEngineName = "Fireside";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &application;
    // A messenger chained here hears the loader only while the instance is being created.
    VkDebugUtilsMessengerCreateInfoEXT messenger{};
    const char *const debugUtils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (loaderErrors != nullptr && offersDebugUtils(loader.functions())) {
        messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
        messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
        messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
        messenger.pfnUserCallback = collect;
        messenger.pUserData = loaderErrors;
        create.pNext = &messenger;
        create.enabledExtensionCount = 1;
        create.ppEnabledExtensionNames = &debugUtils;
    }
    check("vkCreateInstance", loader.functions().CreateInstance(&create, nullptr, &m_instance));
    if (m_instance == VK_NULL_HANDLE)
        throw Error(ErrorKind::Device, "vkCreateInstance returned no instance");
    keepLibraries();
    try {
        m_functions = loadFunctions(loader, m_instance);
    } catch (...) {
        const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(
            loader.functions().GetInstanceProcAddr(m_instance, "vkDestroyInstance"));
        if (destroy != nullptr)
            destroy(m_instance, nullptr);
        throw;
    }
}

Instance::~Instance()
{
    if (!m_abandoned)
        m_functions.DestroyInstance(m_instance, nullptr);
}

} // namespace fireside::vulkan
