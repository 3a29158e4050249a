#pragma once
#include "tests/support/scoped_env.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string>

namespace fireside::test {

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

    /// While the result lives, it is the only driver there is.
    std::unique_ptr<std::array<ScopedEnv, 2>> select() const
    {
        return std::unique_ptr<std::array<ScopedEnv, 2>>(
            new std::array<ScopedEnv, 2>{ScopedEnv("VK_DRIVER_FILES", m_driver.c_str()),
                                         ScopedEnv("VK_ICD_FILENAMES", m_driver.c_str())});
    }

private:
    std::string m_driver;
    bool m_loader = false;
};

} // namespace fireside::test
