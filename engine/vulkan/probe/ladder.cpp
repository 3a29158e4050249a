#include "engine/vulkan/probe/ladder.h"

#include "engine/core/error.h"
#include "engine/vulkan/probe/requirements.h"

#include <algorithm>

namespace fireside::vulkan {

Ladder::Ladder()
{
    const auto add = [this](std::string_view name) {
        DeviceCheck check;
        check.name = name;
        m_checks.push_back(std::move(check));
    };
    for (const std::string_view name : {rung::kBuilt, rung::kLoader, rung::kInstance,
                                        rung::kAddressSpace, rung::kDriver, rung::kDevice})
        add(name);
    for (const Requirement &requirement : requirements())
        add(requirement.name);
    add(rung::kSelfTest);
    add(rung::kKernels);
}

DeviceCheck &Ladder::find(std::string_view rung)
{
    const auto found = std::find_if(m_checks.begin(), m_checks.end(),
                                    [&](const DeviceCheck &check) { return check.name == rung; });
    if (found == m_checks.end())
        throw Error(ErrorKind::Internal, "no rung named " + std::string(rung));
    return *found;
}

void Ladder::pass(std::string_view rung, std::string detail)
{
    DeviceCheck &check = find(rung);
    check.outcome = DeviceCheck::Outcome::Passed;
    check.detail = std::move(detail);
}

void Ladder::fail(std::string_view rung, std::string detail, std::string rawError,
                  std::string advice)
{
    DeviceCheck &check = find(rung);
    check.outcome = DeviceCheck::Outcome::Failed;
    check.detail = std::move(detail);
    check.rawError = std::move(rawError);
    check.advice = std::move(advice);
}

const DeviceCheck *Ladder::firstFailure() const
{
    const auto found = std::find_if(m_checks.begin(), m_checks.end(), [](const DeviceCheck &check) {
        return check.outcome == DeviceCheck::Outcome::Failed;
    });
    return found == m_checks.end() ? nullptr : &*found;
}

std::string Ladder::reason() const
{
    const DeviceCheck *const failure = firstFailure();
    if (failure == nullptr)
        return {};
    std::string text = failure->detail;
    if (!failure->rawError.empty())
        text += " (" + failure->rawError + ")";
    if (!failure->advice.empty())
        text += "; " + failure->advice;
    return text;
}

} // namespace fireside::vulkan
