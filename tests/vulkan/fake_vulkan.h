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
        submits();
        waits();
        allocations();
    }
    ~FakeVulkan() { ::dlclose(m_library); }
    FakeVulkan(const FakeVulkan &) = delete;
    FakeVulkan &operator=(const FakeVulkan &) = delete;
    int alive() const { return call("fakeObjectsAlive"); }
    int calls() const { return call("fakeCalls"); }
    int submits() const { return events(0); }
    int waits() const { return events(1); }
    int allocations() const { return events(2); }

private:
    int call(const char *name) const
    {
        return reinterpret_cast<int (*)()>(::dlsym(m_library, name))();
    }
    int events(int kind) const
    {
        return reinterpret_cast<int (*)(int)>(::dlsym(m_library, "fakeEvents"))(kind);
    }
    void *m_library;
};

} // namespace fireside::test
