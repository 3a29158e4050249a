#pragma once
#include "engine/vulkan/platform/loader.h"

#include <string>

namespace fireside::vulkan {

/// A Vulkan 1.2 instance without layers of its own. Owner.
class Instance
{
public:
    /// Throws VulkanError, or Error naming a missing function. `loaderErrors` receives what the
    /// loader itself complained about meanwhile, e.g. why a driver could not be loaded.
    explicit Instance(const Loader &loader, std::string *loaderErrors = nullptr);
    ~Instance();
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;

    VkInstance handle() const { return m_instance; }
    const InstanceFunctions &functions() const { return m_functions; }

    /// Never destroy it: a device below it hangs, and destroying what is in use may crash the
    /// driver.
    void abandon() noexcept { m_abandoned = true; }

private:
    VkInstance m_instance = VK_NULL_HANDLE;
    InstanceFunctions m_functions;
    bool m_abandoned = false;
};

} // namespace fireside::vulkan
