#pragma once
#include "engine/text/reply/schema_types.h"
#include "engine/text/reply/tool_description.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// The tools that a reply may call: a call of any other is text.
class OfferedTools
{
public:
    OfferedTools() = default; // not known: every name will do
    explicit OfferedTools(std::vector<ToolDescription> tools);

    bool areKnown() const { return m_known; }
    bool areNone() const { return m_known && m_tools.empty(); }
    /// The tool that a model means by this name; nullopt when it is none of these.
    std::optional<std::string> nameOf(std::string_view written) const;
    /// Whether a name may go on from there.
    bool mayBegin(std::string_view written) const;
    SchemaView argumentsOf(std::string_view name) const;

private:
    const ToolDescription *find(std::string_view name) const;

    bool m_known = false;
    std::vector<ToolDescription> m_tools{};
};

} // namespace fireside
