#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/vulkan/platform/capabilities.h"
#include "engine/vulkan/platform/result.h"
#include "engine/vulkan/probe/check_list.h"
#include "engine/vulkan/probe/describe.h"
#include "engine/vulkan/probe/gpu_nodes.h"
#include "engine/vulkan/probe/requirements.h"
#include "engine/vulkan/probe/self_test.h"
#include "engine/vulkan/probe/stderr_capture.h"

#include <cstdlib>
#include <exception>
#include <mutex>

// Climbs the checks check by check. What fails before a device is reached makes one report for
// Vulkan as a whole; from there on every device has its own.
namespace fireside {
namespace {

using namespace vulkan;

constexpr const char *kUpdateDriver = "update the graphics driver, or use the CPU";

/// Several kinds of failure end a climb; the checks already says which.
struct Stop
{};

std::string driverOverride()
{
    for (const char *name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
        if (const char *value = std::getenv(name); value != nullptr)
            return std::string("; note that ") + name + " is set to '" + value + "'";
    return {};
}

Loader climbToLoader(CheckList &checks)
{
    checks.pass(check_name::kBuilt, "this build contains the Vulkan backend");
    try {
        Loader loader = Loader::open();
        checks.pass(check_name::kLoader,
                    loader.name() + ", Vulkan " + versionText(loader.apiVersion()));
        return loader;
    } catch (const Error &error) {
        checks.fail(check_name::kLoader, "the Vulkan loader could not be opened", error.what(),
                    "install it with 'sudo apt install libvulkan1'");
        throw Stop{};
    }
}

void climbToInstance(CheckList &checks, const Loader &loader)
{
    const std::uint32_t version = loader.apiVersion();
    if (version < VK_API_VERSION_1_2) {
        checks.fail(check_name::kInstance,
                    "the Vulkan loader knows only Vulkan " + versionText(version), "",
                    "update libvulkan1 to a version with Vulkan 1.2");
        throw Stop{};
    }
    checks.pass(check_name::kInstance, "the loader offers Vulkan " + versionText(version));
}

/// Drivers map gigabytes of addresses and crash, inside their own code, where these are refused.
void climbToAddressSpace(CheckList &checks)
{
    constexpr std::uint64_t kNeeded = std::uint64_t{8} << 30;
    const std::optional<std::uint64_t> left = queryMemory().addressSpace;
    if (left && *left < kNeeded) {
        checks.fail(check_name::kAddressSpace,
                    "the address space is limited to " + formatBytes(*left) +
                        " more, graphics drivers need up to " + formatBytes(kNeeded),
                    "", "start Fireside without 'ulimit -v'");
        throw Stop{};
    }
    checks.pass(check_name::kAddressSpace,
                left ? formatBytes(*left) + " can still be mapped" : std::string("not limited"));
}

/// The loader creates no instance when it finds no driver, so this check is both.
void climbToDriver(CheckList &checks, const Loader &loader, std::optional<Instance> &instance)
{
    std::string loaderErrors;
    try {
        instance.emplace(loader, &loaderErrors);
        checks.pass(check_name::kDriver, "a driver was found");
        return;
    } catch (const VulkanError &error) {
        const std::string words = error.what() + (loaderErrors.empty() ? "" : ": " + loaderErrors);
        if (error.result() == VK_ERROR_INCOMPATIBLE_DRIVER)
            checks.fail(check_name::kDriver, "no Vulkan driver was found", words,
                        driverAdvice(findGpuNodes()) + driverOverride());
        else
            checks.fail(check_name::kDriver, "the Vulkan drivers could not be started", words,
                        kUpdateDriver + driverOverride());
    } catch (const Error &error) {
        checks.fail(check_name::kDriver, "the Vulkan loader is broken", error.what(),
                    "reinstall it with 'sudo apt install --reinstall libvulkan1'");
    }
    throw Stop{};
}

std::vector<PhysicalDevice> climbToDevices(CheckList &checks, const Instance &instance)
{
    std::vector<PhysicalDevice> devices;
    try {
        devices = physicalDevices(instance);
    } catch (const Error &error) {
        checks.fail(check_name::kDevice, "the driver could not list its devices", error.what(),
                    kUpdateDriver + driverOverride());
        throw Stop{};
    }
    if (devices.empty()) {
        checks.fail(check_name::kDevice, "no Vulkan device was found", "",
                    driverAdvice(findGpuNodes()) + driverOverride());
        throw Stop{};
    }
    return devices;
}

void checkRequirements(CheckList &checks, const PhysicalDevice &device)
{
    for (const Requirement &requirement : requirements()) {
        if (requirement.met(device))
            checks.pass(requirement.name, "available");
        else
            checks.fail(requirement.name, std::string("the device lacks: ") + requirement.name, "",
                        std::string("needed ") + requirement.purpose + "; " + kUpdateDriver);
    }
}

void climbSelfTest(CheckList &checks, Instance &instance, const PhysicalDevice &physical)
{
    try {
        LogicalDevice device(instance, physical);
        checks.pass(check_name::kSelfTest, runSelfTest(device));
    } catch (const Error &error) {
        checks.fail(check_name::kSelfTest, "the shader self-test failed", error.what(),
                    kUpdateDriver);
    }
}

DeviceReport reportDevice(CheckList checks, Instance &instance, const PhysicalDevice &device,
                          std::size_t index)
{
    DeviceReport report = describe(device, index);
    checks.pass(check_name::kDriver, driverText(device));
    checks.pass(check_name::kDevice, report.name);
    checkRequirements(checks, device);
    if (checks.firstFailure() == nullptr)
        climbSelfTest(checks, instance, device);
    if (device.hasVulkan12()) {
        const std::string variants = variantsText(device, capabilitiesOf(device, {}));
        report.properties.emplace_back("Variants", variants);
        if (checks.firstFailure() == nullptr)
            checks.pass(check_name::kKernels, variants);
    }
    report.available = checks.firstFailure() == nullptr;
    report.reason = report.available ? "passed every check" : checks.reason();
    report.checks = checks.checks();
    return report;
}

DeviceReport reportNoDevice(const CheckList &checks)
{
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan";
    report.name = "Vulkan";
    report.reason = checks.reason();
    report.checks = checks.checks();
    return report;
}

std::vector<DeviceReport> climb()
{
    CheckList checks;
    try {
        const Loader loader = climbToLoader(checks);
        climbToInstance(checks, loader);
        climbToAddressSpace(checks);
        std::optional<Instance> instance;
        climbToDriver(checks, loader, instance);
        const std::vector<PhysicalDevice> devices = climbToDevices(checks, *instance);
        std::vector<DeviceReport> reports;
        for (std::size_t i = 0; i < devices.size(); ++i)
            reports.push_back(reportDevice(checks, *instance, devices[i], i));
        return reports;
    } catch (const Stop &) {
        return {reportNoDevice(checks)};
    } catch (const std::exception &error) {
        checks.fail(check_name::kDevice, "the checks ended early", error.what(), kUpdateDriver);
        return {reportNoDevice(checks)};
    }
}

} // namespace

std::vector<DeviceReport> probeVulkan()
{
    // One at a time: the capture of standard error belongs to the process.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    StderrCapture capture;
    std::vector<DeviceReport> reports = climb();
    const std::string messages = capture.finish();
    if (!messages.empty())
        for (DeviceReport &report : reports)
            report.properties.emplace_back("Driver messages", messages);
    return reports;
}

} // namespace fireside
