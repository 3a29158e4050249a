#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace fireside::conformance {

/// A weight of random bytes on a device, with its values read by an independent decoder.
struct TestWeight
{
    std::vector<std::byte> bytes;
    std::vector<double> values; // [depth, rows, cols]
    std::unique_ptr<Weight> weight;

    double at(std::int64_t row, std::int64_t col, std::int64_t expert = 0) const
    {
        return values[static_cast<std::size_t>((expert * weight->rows + row) * weight->cols + col)];
    }
};

/// A device under test, opened at its first use, and what it keeps from test to test.
class Target
{
public:
    static constexpr std::size_t kScratch = std::size_t{256} << 20;
    static constexpr std::int64_t kMaxRows = 4096;

    explicit Target(const DeviceReport &report);

    const std::string &id() const { return m_report.id; }
    Device &device() { return *m_device; }
    /// The same for a model, which must be gone before closeTargets().
    std::shared_ptr<Device> shared() { return m_device; }
    Commands &commands();
    /// A recorder that is as good as new, after a failure.
    void resetCommands() { m_commands.reset(); }

    /// Equal arguments give the same weight. `salt` tells weights of one shape apart.
    const TestWeight &weight(DType type, std::int64_t rows, std::int64_t cols,
                             std::int64_t depth = 1, int salt = 0);
    bool hasWeight(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth,
                   int salt) const;
    void forgetWeights() { m_weights.clear(); }

    /// Whether the device computes with an optional feature, as its report's "Variants" says and
    /// the environment did not take away.
    bool uses(const std::string &variant) const;
    /// Whether there is time for every combination: a CPU that poses as a GPU compiles each
    /// pipeline for seconds, unless FIRESIDE_CONFORMANCE_THOROUGH is set.
    bool thorough() const;
    /// How many times over a thorough run draws its cases: FIRESIDE_CONFORMANCE_ROUNDS, else 1.
    static int rounds();
    bool isCpu() const { return m_report.kind == BackendKind::Cpu; }

    /// The relative error allowed when tensors of these types are read or written.
    double tolerance(std::initializer_list<DType> activations) const;
    /// The same for a product of so many rows with a weight of this type, as the way goes that the
    /// device takes for it. 0: some more than one.
    double productTolerance(DType weight, std::initializer_list<DType> activations,
                            std::int64_t rows = 0) const;

private:
    using Key = std::tuple<DType, std::int64_t, std::int64_t, std::int64_t, int>;
    DeviceReport m_report;
    std::shared_ptr<Device> m_device;
    std::map<Key, std::unique_ptr<TestWeight>> m_weights;
    std::unique_ptr<Commands> m_commands;
};

/// Ids of the devices to test: FIRESIDE_CONFORMANCE_DEVICES, else the CPU and every Vulkan device
/// that is available.
const std::vector<std::string> &targetIds();
Target &target(const std::string &id);
void closeTargets();

/// The environment's seed, else a fresh one; the same for the whole run.
std::uint32_t seed();

/// The types of weights, in the order of DType.
const std::vector<DType> &weightTypes();

} // namespace fireside::conformance
