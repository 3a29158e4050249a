#pragma once
#include "tests/survival/fault_layer.h"

#include <dlfcn.h>

namespace fireside::test {

/// The layer of this process, told what to fail. It stays loaded while one exists.
class VulkanFaults
{
public:
    VulkanFaults()
        : m_library(::dlopen(FAULT_LAYER, RTLD_NOW | RTLD_LOCAL))
    {}
    ~VulkanFaults() { ::dlclose(m_library); }
    VulkanFaults(const VulkanFaults &) = delete;
    VulkanFaults &operator=(const VulkanFaults &) = delete;

    /// Counts from anew; the nth `call` fails. nth 0: none does.
    void arm(const char *call, int nth, FaultKind kind) const
    {
        find<void (*)(const char *, int, int)>("fireside_fault_arm")(call, nth,
                                                                     static_cast<int>(kind));
    }
    void disarm() const { arm(nullptr, 0, FaultKind::None); }
    int calls(const char *call = nullptr) const
    {
        return find<int (*)(const char *)>("fireside_fault_calls")(call);
    }
    const char *fired() const { return find<const char *(*)()>("fireside_fault_fired")(); }
    int endlessWaits() const { return find<int (*)()>("fireside_fault_endless_waits")(); }
    int destroyedHanging() const { return find<int (*)()>("fireside_fault_destroyed_hanging")(); }
    const char *const *names() const
    {
        return find<const char *const *(*)()>("fireside_fault_names")();
    }

private:
    template <typename Function>
    Function find(const char *name) const
    {
        return reinterpret_cast<Function>(::dlsym(m_library, name));
    }
    void *m_library;
};

} // namespace fireside::test
