#pragma once
#include "engine/backend/device_report.h"
#include "engine/backend/selection.h"
#include "engine/core/error.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

// What is tried when a device fails while it loads or runs a model: fewer layers on it, the same
// once more, and in the end another device.
namespace fireside {

/// Whether another device, or fewer layers on this one, may avoid an error of this kind.
bool devicesFault(ErrorKind kind);

/// The graphics card of a placement that is taken to have failed: the one that runs most layers; −1
/// when all is on the CPU, which has nothing to fall back to.
int cardOf(const Placement &placement, std::span<const DeviceReport> devices);

/// What the plan puts on a device, in bytes.
std::uint64_t bytesOn(int device, const Placement &placement, const MemoryPlan &plan,
                      std::span<const DeviceReport> devices);

/// How a model is loaded again after a card failed in the middle of its work.
struct Recovery
{
    std::string device;                    // its id
    std::string problem;                   // what it said
    bool again = false;                    // it is opened once more
    std::optional<std::uint64_t> memory{}; // what it counts as having free, after it had none left
};

/// Remembers which cards have failed, to decide what comes next. A card that is lost is opened once
/// more; one that hangs, or fails again before a reply has gone through on it, is given up.
class FailedCards
{
public:
    Recovery recover(const DeviceReport &card, std::uint64_t bytesOnCard, const Error &error);
    void wentThrough(const std::string &card) { m_failedOnce.erase(card); }
    bool givenUp(const std::string &card) const { return m_givenUp.count(card) > 0; }

private:
    std::set<std::string> m_failedOnce, m_givenUp; // ids
};

/// The choices of one load: narrower after each failure, until nothing is left to try.
class LoadAttempts
{
public:
    /// `devices` are changed by what is known: cards that failed are not available, or have less.
    LoadAttempts(PlacementRequest request, const Recovery *recovery,
                 std::vector<DeviceReport> &devices, KnownSpeeds known = {});
    Selection select(const MemoryPlan &plan);
    /// What to do after select()'s choice failed. False: nothing is left, the error stands.
    bool narrow(const Selection &selection, const MemoryPlan &plan, const Error &error);

private:
    PlacementRequest m_request;
    KnownSpeeds m_known;
    const Recovery *m_recovery;
    std::vector<DeviceReport> &m_devices;
    int m_smaller = 0;     // how often less was put on a card
    std::string m_lessWhy; // why less is on a card than would seem to fit
};

} // namespace fireside
