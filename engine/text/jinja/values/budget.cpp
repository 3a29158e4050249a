#include "engine/text/jinja/values/budget.h"

#include "engine/core/error.h"

namespace fireside::jinja {

void Budget::allocate(std::size_t bytes)
{
    step(bytes / 64 + 1);
    m_memory += bytes;
    if (m_memory > m_limits.memory)
        throw TemplateError("the template needs more than its memory limit of " +
                            formatBytes(m_limits.memory));
}

void Budget::checkRepeat(std::size_t bytes, std::int64_t count) const
{
    if (count > 0 && bytes > 0 && static_cast<std::uint64_t>(count) > m_limits.output / bytes)
        failOutput();
}

void Budget::failSteps() const
{
    throw TemplateError("the template runs longer than its limit of " +
                        std::to_string(m_limits.steps) + " steps");
}

void Budget::failOutput() const
{
    throw TemplateError("the template writes more than its output limit of " +
                        formatBytes(m_limits.output));
}

void LevelGuard::fail() const
{
    throw TemplateError("the template nests deeper than its depth limit of " +
                        std::to_string(m_depth.limit));
}

} // namespace fireside::jinja
