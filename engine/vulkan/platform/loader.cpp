#include "engine/vulkan/platform/loader.h"

#include "engine/core/error.h"
#include "engine/vulkan/platform/result.h"

#include <cstdlib>
#include <dlfcn.h>

namespace fireside::vulkan {

Loader Loader::open()
{
    const char *const override = std::getenv("FIRESIDE_VULKAN_LOADER");
    Loader loader;
    loader.m_name = override != nullptr && *override != '\0' ? override : "libvulkan.so.1";
    void *const library = ::dlopen(loader.m_name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char *const words = ::dlerror();
        throw Error(ErrorKind::Device, words != nullptr ? words : "dlopen failed");
    }

    GlobalFunctions &functions = loader.m_functions;
    functions.GetInstanceProcAddr =
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
    if (functions.GetInstanceProcAddr == nullptr)
        throw Error(ErrorKind::Device, loader.m_name + " has no function vkGetInstanceProcAddr");
    functions.CreateInstance = reinterpret_cast<PFN_vkCreateInstance>(
        functions.GetInstanceProcAddr(nullptr, "vkCreateInstance"));
    functions.EnumerateInstanceVersion = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
        functions.GetInstanceProcAddr(nullptr, "vkEnumerateInstanceVersion"));
    functions.EnumerateInstanceExtensionProperties =
        reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
            functions.GetInstanceProcAddr(nullptr, "vkEnumerateInstanceExtensionProperties"));
    if (functions.CreateInstance == nullptr)
        throw Error(ErrorKind::Device, loader.m_name + " has no function vkCreateInstance");
    return loader;
}

std::uint32_t Loader::apiVersion() const
{
    std::uint32_t version = VK_API_VERSION_1_0;
    if (m_functions.EnumerateInstanceVersion != nullptr)
        check("vkEnumerateInstanceVersion", m_functions.EnumerateInstanceVersion(&version));
    return version;
}

std::string versionText(std::uint32_t apiVersion)
{
    return std::to_string(VK_API_VERSION_MAJOR(apiVersion)) + "." +
           std::to_string(VK_API_VERSION_MINOR(apiVersion)) + "." +
           std::to_string(VK_API_VERSION_PATCH(apiVersion));
}

} // namespace fireside::vulkan
