#include "engine/fallback.h"

#include "engine/backend/backend.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kMaxSmaller = 4; // attempts with fewer layers on a card

DeviceReport *find(std::vector<DeviceReport> &devices, const std::string &id)
{
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const DeviceReport &report) { return report.id == id; });
    return found == devices.end() ? nullptr : &*found;
}

/// "Running on …" as the end of another sentence.
std::string lowered(std::string sentence)
{
    if (sentence.rfind("Running", 0) == 0)
        sentence[0] = 'r';
    return sentence;
}

} // namespace

bool devicesFault(ErrorKind kind)
{
    return kind == ErrorKind::Memory || kind == ErrorKind::Device || kind == ErrorKind::Unsupported;
}

int cardOf(const Placement &placement, std::span<const DeviceReport> devices)
{
    std::vector<int> parts(devices.size(), 0);
    const auto add = [&](int device) { ++parts.at(static_cast<std::size_t>(device)); };
    add(placement.embedding);
    std::for_each(placement.layers.begin(), placement.layers.end(), add);
    add(placement.output);
    int card = -1;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].kind != BackendKind::Cpu && parts[i] > 0 &&
            (card < 0 || parts[i] > parts[static_cast<std::size_t>(card)]))
            card = static_cast<int>(i);
    return card;
}

std::uint64_t bytesOn(int device, const Placement &placement, const MemoryPlan &plan,
                      std::span<const DeviceReport> devices)
{
    const auto index = static_cast<std::size_t>(device);
    return plannedUse(plan, placement, devices, index).total() +
           planOn(plan, devices[index]).reserve;
}

Recovery FailedCards::recover(const DeviceReport &card, std::uint64_t bytesOnCard,
                              const Error &error)
{
    Recovery recovery{.device = card.id, .problem = error.what()};
    if (error.kind() == ErrorKind::Memory) {
        recovery.memory = bytesOnCard / 4 * 3;
    } else if (!error.isHang() && m_failedOnce.insert(card.id).second) {
        recovery.again = true;
    } else {
        m_givenUp.insert(card.id);
    }
    return recovery;
}

LoadAttempts::LoadAttempts(PlacementRequest request, const Recovery *recovery,
                           std::vector<DeviceReport> &devices, KnownSpeeds known)
    : m_request(std::move(request))
    , m_known(std::move(known))
    , m_recovery(recovery)
    , m_devices(devices)
{
    if (recovery == nullptr)
        return;
    // A reply is to go on: rather elsewhere than not at all.
    if (m_request.backend == BackendKind::Vulkan && !recovery->again)
        m_request.backend = BackendKind::Auto;
    if (!recovery->again)
        m_request.strict = false;
    if (DeviceReport *const card = find(devices, recovery->device); card && recovery->memory) {
        card->memoryFree = std::min(*recovery->memory, card->memoryFree.value_or(~0ULL));
        m_lessWhy = recovery->problem;
    }
}

Selection LoadAttempts::select(const MemoryPlan &plan)
{
    Selection selection = fireside::select(m_request, m_devices, plan, m_known);
    const int card = cardOf(selection.placement, m_devices);
    if (!m_lessWhy.empty())
        selection.reason += "; with more there, memory ran out: " + m_lessWhy;
    if (m_recovery != nullptr && m_recovery->again && card >= 0 &&
        m_devices[static_cast<std::size_t>(card)].id == m_recovery->device)
        selection.reason = "Opened again after it failed (" + m_recovery->problem +
                           "): " + lowered(selection.reason);
    return selection;
}

bool LoadAttempts::narrow(const Selection &selection, const MemoryPlan &plan, const Error &error)
{
    const int index = cardOf(selection.placement, m_devices);
    const bool free =
        (m_request.backend == BackendKind::Auto && !m_request.strict) || m_recovery != nullptr;
    if (!free || index < 0 || !devicesFault(error.kind()))
        return false;
    m_request.backend = BackendKind::Auto;
    DeviceReport &card = m_devices[static_cast<std::size_t>(index)];
    if (error.kind() == ErrorKind::Memory && m_smaller++ < kMaxSmaller) {
        card.memoryFree = bytesOn(index, selection.placement, plan, m_devices) / 4 * 3;
        m_lessWhy = error.what();
        return true;
    }
    card.available = false;
    card.reason = std::string("loading failed there: ") + error.what();
    m_lessWhy.clear();
    return true;
}

} // namespace fireside
