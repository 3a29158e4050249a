#pragma once
#include <dlfcn.h>

namespace fireside::test {

/// The fake library itself (fake_loader.cpp), for its counters.
class FakeVulkan
{
public:
    FakeVulkan()
        : m_library(::dlopen(FAKE_VULKAN_LOADER, RTLD_NOW | RTLD_LOCAL))
    {
        alive();
        calls();
    }
    ~FakeVulkan() { ::dlclose(m_library); }
    FakeVulkan(const FakeVulkan &) = delete;
    FakeVulkan &operator=(const FakeVulkan &) = delete;
    int alive() const { return call("fakeObjectsAlive"); }
    int calls() const { return call("fakeCalls"); }

private:
    int call(const char *name) const
    {
        return reinterpret_cast<int (*)()>(::dlsym(m_library, name))();
    }
    void *m_library;
};

} // namespace fireside::test
