#pragma once
#include "engine/backend/placement_speed.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside {

/// What tells a device's speed from another's: its name, and driver or instruction set.
std::string speedKey(const DeviceReport &device);

/// The speeds of devices and of models on them, kept in a small JSON file between runs. A file that
/// cannot be read counts as empty, one that cannot be written is left as it is. Thread-safe.
class SpeedStore
{
public:
    /// file: empty: nothing is kept.
    explicit SpeedStore(std::filesystem::path file = {});

    std::optional<MachineRates> rates(const DeviceReport &device) const;
    void setRates(const DeviceReport &device, const MachineRates &rates);
    /// What a model did where the placement says, measured at length; what was known of this
    /// placement is replaced.
    /// expected: by the device's rates alone; 0: not known.
    void setSpeed(const std::string &model, const Placement &placement,
                  std::span<const DeviceReport> devices, DType kvType, const Speed &speed,
                  const Speed &expected = {});
    /// The same of one reply, on a computer that may have been busy: what counts is the median of
    /// the last few, and nothing before there are three.
    void addReply(const std::string &model, const Placement &placement,
                  std::span<const DeviceReport> devices, DType kvType, const Speed &speed,
                  const Speed &expected = {});
    /// All that is known for these devices, as they are now, and this model.
    KnownSpeeds known(const std::string &model, std::span<const DeviceReport> devices) const;

private:
    struct Entry
    {
        MeasuredPlacement measured;                 // the speed is the median
        std::map<std::string, std::string> devices; // id → speedKey() of each that has a part
        std::vector<Speed> replies;                 // the newest last
        Speed expected{};                           // by the rates of its devices alone
        bool counts() const;                        // there are replies enough
    };
    /// That of the placement, made if need be; with the mutex.
    Entry &entryOf(const std::string &model, const Placement &placement,
                   std::span<const DeviceReport> devices, DType kvType);
    void read();
    void write() const;
    std::vector<ReachedSpeed> reachedOn(const std::string &key) const;

    std::filesystem::path m_file;
    mutable std::mutex m_mutex;
    std::map<std::string, MachineRates> m_rates; // by speedKey()
    std::map<std::string, std::vector<Entry>> m_models;
};

} // namespace fireside
