#include "engine/vulkan/probe/check_list.h"

#include "engine/core/error.h"
#include "engine/vulkan/probe/requirements.h"

#include <algorithm>

namespace fireside::vulkan {

CheckList::CheckList()
{
    const auto add = [this](std::string_view name) {
        DeviceCheck check;
        check.name = name;
        m_checks.push_back(std::move(check));
    };
    for (const std::string_view name :
         {check_name::kBuilt, check_name::kLoader, check_name::kInstance, check_name::kAddressSpace,
          check_name::kDriver, check_name::kDevice})
        add(name);
    for (const Requirement &requirement : requirements())
        add(requirement.name);
    add(check_name::kSelfTest);
    add(check_name::kKernels);
}

DeviceCheck &CheckList::find(std::string_view name)
{
    const auto found = std::find_if(m_checks.begin(), m_checks.end(),
                                    [&](const DeviceCheck &check) { return check.name == name; });
    if (found == m_checks.end())
        throw Error(ErrorKind::Internal, "no check named " + std::string(name));
    return *found;
}

void CheckList::pass(std::string_view name, std::string detail)
{
    DeviceCheck &check = find(name);
    check.outcome = DeviceCheck::Outcome::Passed;
    check.detail = std::move(detail);
}

void CheckList::fail(std::string_view name, std::string detail, std::string rawError,
                     std::string advice)
{
    DeviceCheck &check = find(name);
    check.outcome = DeviceCheck::Outcome::Failed;
    check.detail = std::move(detail);
    check.rawError = std::move(rawError);
    check.advice = std::move(advice);
}

const DeviceCheck *CheckList::firstFailure() const
{
    const auto found = std::find_if(m_checks.begin(), m_checks.end(), [](const DeviceCheck &check) {
        return check.outcome == DeviceCheck::Outcome::Failed;
    });
    return found == m_checks.end() ? nullptr : &*found;
}

std::string CheckList::reason() const
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
