#pragma once
#include "engine/backend/backend.h"
#include "engine/core/error.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace fireside::test {

/// How fake devices misbehave, and a count of what was asked of them, all that are opened with it
/// together. For any thread.
class DeviceScript
{
public:
    enum class At {
        Open,     // of a device
        Allocate, // a buffer
        Weight,   // taken over
        Finish,   // the weights are waited for
        Copy,     // between buffers
        Pass,     // begins, or is asked for when it runs already
        Op,       // of a pass that computes
        Sync,     // the wait for a pass, also for one that ran ahead
        Count
    };
    struct Fault
    {
        At at = At::Op;
        int in = 1; // the next is 1
        ErrorKind kind = ErrorKind::Device;
        int times = 1;      // in a row
        bool hangs = false; // Error::isHang()
    };
    /// After a fault other than Memory the device is lost: everything asked of it fails.
    void fail(const Fault &fault);
    void forget(); // no fault is to come
    int count(At at) const { return m_counts[static_cast<std::size_t>(at)]; }
    /// Called at each event, before it may fail; set it before a device is opened.
    std::function<void(At at, int count)> seen;

    /// Counts; throws when it is this one's turn. lost: of the device that asks.
    void meet(At at, std::atomic<bool> &lost);

private:
    std::array<std::atomic<int>, static_cast<std::size_t>(At::Count)> m_counts{};
    std::mutex m_mutex;
    std::vector<Fault> m_faults;
};

/// A device that computes what `inner` does, until the script says otherwise. Buffers and weights
/// are those of `inner`.
std::unique_ptr<Device> fakeDevice(std::unique_ptr<Device> inner, const DeviceReport &report,
                                   std::shared_ptr<DeviceScript> script);

/// A graphics card with plenty of memory that is none: its id is "vulkan:0".
DeviceReport fakeCard(std::uint64_t memory = std::uint64_t{8} << 30);

} // namespace fireside::test
