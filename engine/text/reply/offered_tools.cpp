#include "engine/text/reply/offered_tools.h"

#include "engine/text/reply/call_values.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr std::string_view kNamespace = "functions."; // some models write it before every name

} // namespace

OfferedTools::OfferedTools(std::vector<ToolDescription> tools)
    : m_known(true)
    , m_tools(std::move(tools))
{}

const ToolDescription *OfferedTools::find(std::string_view name) const
{
    const auto found = std::find_if(m_tools.begin(), m_tools.end(),
                                    [&](const ToolDescription &one) { return one.name == name; });
    return found == m_tools.end() ? nullptr : &*found;
}

std::optional<std::string> OfferedTools::nameOf(std::string_view written) const
{
    written = trimmed(written);
    if (!isToolName(written))
        return std::nullopt;
    if (!m_known || find(written) != nullptr)
        return std::string(written);
    if (take(written, kNamespace) && find(written) != nullptr)
        return std::string(written);
    return std::nullopt;
}

bool OfferedTools::mayBegin(std::string_view written) const
{
    if (!m_known)
        return written.empty() || isToolName(written);
    if (kNamespace.starts_with(written))
        return true;
    take(written, kNamespace);
    return std::any_of(m_tools.begin(), m_tools.end(),
                       [&](const ToolDescription &one) { return one.name.starts_with(written); });
}

SchemaView OfferedTools::argumentsOf(std::string_view name) const
{
    const ToolDescription *const tool = find(name);
    return tool == nullptr || tool->parameters.is_null() ? SchemaView()
                                                         : SchemaView(tool->parameters);
}

} // namespace fireside
