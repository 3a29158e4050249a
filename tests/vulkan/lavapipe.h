#pragma once
#include "tests/support/scoped_env.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string>

#if defined(FIRESIDE_ADDRESS_SANITIZER)
#include <sanitizer/lsan_interface.h>
#endif

namespace fireside::test {

/// Real drivers keep a few bytes for themselves when they are unloaded. While one exists, leaks of
/// this thread are not reported; our own objects are counted by the tests with the fake driver.
class IgnoreDriverLeaks
{
public:
    IgnoreDriverLeaks() = default;
    IgnoreDriverLeaks(const IgnoreDriverLeaks &) = delete;
    IgnoreDriverLeaks &operator=(const IgnoreDriverLeaks &) = delete;

private:
#if defined(FIRESIDE_ADDRESS_SANITIZER)
    __lsan::ScopedDisabler m_disabler;
#endif
};

/// Mesa's Vulkan driver for the CPU, for tests on computers without a GPU.
class Lavapipe
{
public:
    Lavapipe()
    {
        std::error_code error;
        for (const char *folder : {"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"})
            for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
                 it.increment(error))
                if (it->path().filename().string().rfind("lvp_icd", 0) == 0)
                    m_driver = it->path().string();
        m_loader = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
    }
    bool loaderPresent() const { return m_loader; }
    bool present() const { return m_loader && !m_driver.empty(); }

    using Selection = std::array<ScopedEnv, 3>;
    /// While the result lives, it is the only driver there is. It compiles kernels without
    /// optimising them: a test runs each a few times only, and compiling takes longest by far.
    std::unique_ptr<Selection> select() const
    {
        return std::unique_ptr<Selection>(new Selection{
            ScopedEnv("VK_DRIVER_FILES", m_driver.c_str()),
            ScopedEnv("VK_ICD_FILENAMES", m_driver.c_str()), ScopedEnv("GALLIVM_PERF", "nopt")});
    }

private:
    IgnoreDriverLeaks m_leaks;
    std::string m_driver;
    bool m_loader = false;
};

} // namespace fireside::test
