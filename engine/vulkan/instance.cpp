#include "engine/vulkan/instance.h"

#include "engine/core/error.h"
#include "engine/vulkan/result.h"

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
    return functions;
}

} // namespace

Instance::Instance(const Loader &loader)
{
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "Fireside";
    application.pEngineName = "Fireside";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &application;
    check("vkCreateInstance", loader.functions().CreateInstance(&create, nullptr, &m_instance));
    if (m_instance == VK_NULL_HANDLE)
        throw Error(ErrorKind::Device, "vkCreateInstance returned no instance");
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
