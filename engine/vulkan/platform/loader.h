#pragma once
#include "engine/vulkan/platform/functions.h"

#include <cstdint>
#include <string>

namespace fireside::vulkan {

/// The system's Vulkan loader, opened at run time. It stays open until the program ends: drivers
/// leave thread-local destructors and exit handlers behind that must not lose their code.
class Loader
{
public:
    /// $FIRESIDE_VULKAN_LOADER if set (a path, for tests and unusual installations), else
    /// libvulkan.so.1. Error(Device) with dlopen's words when it cannot be opened or is no Vulkan
    /// loader.
    static Loader open();

    const std::string &name() const { return m_name; }
    const GlobalFunctions &functions() const { return m_functions; }
    std::uint32_t apiVersion() const; // highest version that instances may ask for

private:
    Loader() = default;
    std::string m_name;
    GlobalFunctions m_functions;
};

std::string versionText(std::uint32_t apiVersion); // "1.3.239"

} // namespace fireside::vulkan
