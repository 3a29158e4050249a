#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/vulkan/platform/capabilities.h"
#include "engine/vulkan/platform/result.h"
#include "engine/vulkan/probe/describe.h"
#include "engine/vulkan/probe/gpu_nodes.h"
#include "engine/vulkan/probe/ladder.h"
#include "engine/vulkan/probe/requirements.h"
#include "engine/vulkan/probe/self_test.h"
#include "engine/vulkan/probe/stderr_capture.h"

#include <cstdlib>
#include <exception>
#include <mutex>

// Climbs the ladder rung by rung. What fails before a device is reached makes one report for Vulkan
// as a whole; from there on every device has its own.
namespace fireside {
namespace {

using namespace vulkan;

constexpr const char *kUpdateDriver = "update the graphics driver, or use the CPU";

/// Several kinds of failure end a climb; the ladder already says which.
struct Stop
{};

std::string driverOverride()
{
    for (const char *name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
        if (const char *value = std::getenv(name); value != nullptr)
            return std::string("; note that ") + name + " is set to '" + value + "'";
    return {};
}

Loader climbToLoader(Ladder &ladder)
{
    ladder.pass(rung::kBuilt, "this build contains the Vulkan backend");
    try {
        Loader loader = Loader::open();
        ladder.pass(rung::kLoader, loader.name() + ", Vulkan " + versionText(loader.apiVersion()));
        return loader;
    } catch (const Error &error) {
        ladder.fail(rung::kLoader, "the Vulkan loader could not be opened", error.what(),
                    "install it with 'sudo apt install libvulkan1'");
        throw Stop{};
    }
}

void climbToInstance(Ladder &ladder, const Loader &loader)
{
    const std::uint32_t version = loader.apiVersion();
    if (version < VK_API_VERSION_1_2) {
        ladder.fail(rung::kInstance, "the Vulkan loader knows only Vulkan " + versionText(version),
                    "", "update libvulkan1 to a version with Vulkan 1.2");
        throw Stop{};
    }
    ladder.pass(rung::kInstance, "the loader offers Vulkan " + versionText(version));
}

/// Drivers map gigabytes of addresses and crash, inside their own code, where these are refused.
void climbToAddressSpace(Ladder &ladder)
{
    constexpr std::uint64_t kNeeded = std::uint64_t{8} << 30;
    const std::optional<std::uint64_t> left = queryMemory().addressSpace;
    if (left && *left < kNeeded) {
        ladder.fail(rung::kAddressSpace,
                    "the address space is limited to " + formatBytes(*left) +
                        " more, graphics drivers need up to " + formatBytes(kNeeded),
                    "", "start Fireside without 'ulimit -v'");
        throw Stop{};
    }
    ladder.pass(rung::kAddressSpace,
                left ? formatBytes(*left) + " can still be mapped" : std::string("not limited"));
}

/// The loader creates no instance when it finds no driver, so this rung is both.
void climbToDriver(Ladder &ladder, const Loader &loader, std::optional<Instance> &instance)
{
    std::string loaderErrors;
    try {
        instance.emplace(loader, &loaderErrors);
        ladder.pass(rung::kDriver, "a driver was found");
        return;
    } catch (const VulkanError &error) {
        const std::string words = error.what() + (loaderErrors.empty() ? "" : ": " + loaderErrors);
        if (error.result() == VK_ERROR_INCOMPATIBLE_DRIVER)
            ladder.fail(rung::kDriver, "no Vulkan driver was found", words,
                        driverAdvice(findGpuNodes()) + driverOverride());
        else
            ladder.fail(rung::kDriver, "the Vulkan drivers could not be started", words,
                        kUpdateDriver + driverOverride());
    } catch (const Error &error) {
        ladder.fail(rung::kDriver, "the Vulkan loader is broken", error.what(),
                    "reinstall it with 'sudo apt install --reinstall libvulkan1'");
    }
    throw Stop{};
}

std::vector<PhysicalDevice> climbToDevices(Ladder &ladder, const Instance &instance)
{
    std::vector<PhysicalDevice> devices;
    try {
        devices = physicalDevices(instance);
    } catch (const Error &error) {
        ladder.fail(rung::kDevice, "the driver could not list its devices", error.what(),
                    kUpdateDriver + driverOverride());
        throw Stop{};
    }
    if (devices.empty()) {
        ladder.fail(rung::kDevice, "no Vulkan device was found", "",
                    driverAdvice(findGpuNodes()) + driverOverride());
        throw Stop{};
    }
    return devices;
}

void checkRequirements(Ladder &ladder, const PhysicalDevice &device)
{
    for (const Requirement &requirement : requirements()) {
        if (requirement.met(device))
            ladder.pass(requirement.name, "available");
        else
            ladder.fail(requirement.name, std::string("the device lacks: ") + requirement.name, "",
                        std::string("needed ") + requirement.purpose + "; " + kUpdateDriver);
    }
}

void climbSelfTest(Ladder &ladder, Instance &instance, const PhysicalDevice &physical)
{
    try {
        LogicalDevice device(instance, physical);
        ladder.pass(rung::kSelfTest, runSelfTest(device));
    } catch (const Error &error) {
        ladder.fail(rung::kSelfTest, "the shader self-test failed", error.what(), kUpdateDriver);
    }
}

DeviceReport reportDevice(Ladder ladder, Instance &instance, const PhysicalDevice &device,
                          std::size_t index)
{
    DeviceReport report = describe(device, index);
    ladder.pass(rung::kDriver, driverText(device));
    ladder.pass(rung::kDevice, report.name);
    checkRequirements(ladder, device);
    if (ladder.firstFailure() == nullptr)
        climbSelfTest(ladder, instance, device);
    if (device.hasVulkan12()) {
        const std::string variants = variantsText(device, capabilitiesOf(device, {}));
        report.properties.emplace_back("Variants", variants);
        if (ladder.firstFailure() == nullptr)
            ladder.pass(rung::kKernels, variants);
    }
    report.available = ladder.firstFailure() == nullptr;
    report.reason = report.available ? "passed every check" : ladder.reason();
    report.checks = ladder.checks();
    return report;
}

DeviceReport reportNoDevice(const Ladder &ladder)
{
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan";
    report.name = "Vulkan";
    report.reason = ladder.reason();
    report.checks = ladder.checks();
    return report;
}

std::vector<DeviceReport> climb()
{
    Ladder ladder;
    try {
        const Loader loader = climbToLoader(ladder);
        climbToInstance(ladder, loader);
        climbToAddressSpace(ladder);
        std::optional<Instance> instance;
        climbToDriver(ladder, loader, instance);
        const std::vector<PhysicalDevice> devices = climbToDevices(ladder, *instance);
        std::vector<DeviceReport> reports;
        for (std::size_t i = 0; i < devices.size(); ++i)
            reports.push_back(reportDevice(ladder, *instance, devices[i], i));
        return reports;
    } catch (const Stop &) {
        return {reportNoDevice(ladder)};
    } catch (const std::exception &error) {
        ladder.fail(rung::kDevice, "the checks ended early", error.what(), kUpdateDriver);
        return {reportNoDevice(ladder)};
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
