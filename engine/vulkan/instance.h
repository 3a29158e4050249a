#pragma once
#include "engine/vulkan/loader.h"

namespace fireside::vulkan {

/// A Vulkan 1.2 instance without layers or extensions of its own. Owner.
class Instance
{
public:
    explicit Instance(const Loader &loader); // throws VulkanError, Error naming a missing function
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
