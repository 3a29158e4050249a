#pragma once
#include "engine/backend/commands.h"
#include "engine/backend/device_report.h"
#include "engine/backend/machine_rates.h"
#include "engine/backend/memory.h"
#include "engine/backend/memory_use.h"
#include "engine/core/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

// THE interface between models and devices: a Device owns memory and weights, Commands (commands.h)
// record passes.
namespace fireside {

/// Bytes from one buffer of a device to another of it, or to another place in it.
struct BufferCopy
{
    const Buffer *from = nullptr;
    std::size_t fromOffset = 0;
    Buffer *to = nullptr;
    std::size_t toOffset = 0, bytes = 0;
};

/// Bytes of a buffer to the host.
struct BufferRead
{
    const Buffer *from = nullptr;
    std::size_t offset = 0;
    std::span<std::byte> to{};
};

/// Bytes of the host into a buffer.
struct BufferWrite
{
    std::span<const std::byte> from{};
    Buffer *to = nullptr;
    std::size_t offset = 0;
};

/// One place to compute: owns memory, weights and passes.
class Device
{
public:
    virtual ~Device() = default;
    virtual const DeviceReport &report() const = 0;
    /// Zeroed memory, counted as `purpose`; Error(Memory) naming `what`, what was needed and what
    /// is free. What is free is asked before large pieces, other programs counted.
    virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                             MemoryPurpose purpose = MemoryPurpose::Other) = 0;
    /// Several at once, cheaper than one by one; after an error none is left.
    virtual std::vector<std::unique_ptr<Buffer>>
    allocateAll(std::span<const std::size_t> bytes, std::string_view what, MemoryPurpose purpose)
    {
        std::vector<std::unique_ptr<Buffer>> buffers;
        for (const std::size_t each : bytes)
            buffers.push_back(allocate(each, what, purpose));
        return buffers;
    }
    /// Takes a weight over. Its memory is there on return, its contents at finishWeights(): copies
    /// run in the background, and `source.bytes` must stay until then (on the CPU, as long as the
    /// Weight). Error(Unsupported) naming tensor and type if this device lacks it; Error(Memory).
    virtual std::unique_ptr<Weight> addWeight(const WeightSource &source) = 0;
    /// Waits until every weight is resident, and throws what went wrong with any. Error(Cancelled)
    /// when stopped; the weights are then undefined.
    virtual void finishWeights(std::stop_token stop = {}) = 0;
    /// Copies between two buffers of this device (a forked session's cache). Complete on return.
    virtual void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
                      std::size_t bytes) = 0;
    /// Many at once, as if one after another: cheaper than one by one.
    virtual void copy(std::span<const BufferCopy> copies)
    {
        for (const BufferCopy &c : copies)
            copy(*c.from, c.fromOffset, *c.to, c.toOffset, c.bytes);
    }
    /// Parts of this device's buffers to the host, and from it (a session's cache that is kept).
    /// Complete on return; no two parts may overlap where they go.
    virtual void read(std::span<const BufferRead> parts) = 0;
    virtual void write(std::span<const BufferWrite> parts) = 0;
    /// Zeroes buffers of this device from end to end. Complete on return.
    virtual void zero(std::span<Buffer *const> buffers) = 0;
    /// A recorder with an arena of `scratchBytes` for passes of at most maxRows tokens.
    virtual std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) = 0;
    virtual bool supports(DType weightType) const = 0;
    /// Whether passes may ask for op::ExpandedAttention, which takes weights of its own; see
    /// Commands::expandsLatent().
    virtual bool mayExpandLatent() const { return false; }
    /// What was allocated here and still is, and what the system says of it now.
    virtual DeviceMemory memoryNow() const { return {}; }
};

// Factories of the linked backends. Reports are what the probes found; nothing is allocated yet.
struct CpuOptions
{
    int threads = 0; // 0: as many as cpuInfo().threads
};
DeviceReport probeCpu();
std::unique_ptr<Device> openCpu(const CpuOptions &options);
/// With these threads and the instruction set in use; takes about 1.7 s. Error: Memory, Cancelled.
MachineRates measureCpu(const CpuOptions &options, const std::stop_token &stop = {});

/// What memory gives to the processor's threads now: others use it, too, and change that.
class MemoryReading
{
public:
    virtual ~MemoryReading() = default;
    /// Bytes a second, over about `seconds`; more than caches hold are read.
    virtual double rate(double seconds) = 0;
};
/// Error: Memory.
std::unique_ptr<MemoryReading> openMemoryReading(const CpuOptions &options);

/// Every Vulkan device, or a single unavailable report with the first check that failed. Never
/// throws.
std::vector<DeviceReport> probeVulkan();

struct VulkanOptions
{
    /// Where compiled pipelines are kept between runs; empty: nowhere.
    std::filesystem::path cacheFolder{};
    // What follows narrows the device down, for tests and for finding faults; 0 or empty: as it is.
    std::size_t largestAllocation = 0; // bytes of one memory allocation
    std::size_t memoryLimit = 0;       // bytes of all allocations; more is Error(Memory)
    bool stagedUploads = false;        // through staging memory even where the host could write
    /// Names of optional features not to use, as in the report's property "Variants":
    /// "cooperative matrix", "integer dot".
    std::vector<std::string> without{};
    bool alikePasses = false; // passes of chats in multiples of eight, also without matrices
    /// 0: how long launches take is measured, and what is done at once follows it. Else they count
    /// as so many times a first guess, whatever the clock says: nothing depends on the machine.
    double throughput = 0;
};
/// Opens a device that probeVulkan() reported as available. Error(Device) when it is gone.
std::unique_ptr<Device> openVulkan(const DeviceReport &report, const VulkanOptions &options = {});

} // namespace fireside
