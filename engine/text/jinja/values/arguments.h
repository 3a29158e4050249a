#pragma once
#include "engine/text/jinja/values/value.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::jinja {

/// Matches the arguments of one call to a builtin's parameters, by position or name.
/// Throws TemplateError for too many, unknown or doubled arguments.
class Parameters
{
public:
    Parameters(std::string_view function, const Arguments &args,
               std::initializer_list<std::string_view> names, std::size_t required = 0);

    bool has(std::size_t i) const { return m_given[i]; }
    const Value &operator[](std::size_t i) const { return m_values[i]; }
    std::int64_t integer(std::size_t i, std::int64_t fallback) const;
    bool truth(std::size_t i, bool fallback) const;
    /// The string argument, or nullptr when it is absent or none.
    const StringObject *text(std::size_t i) const;
    const StringObject &requiredText(std::size_t i) const;

private:
    std::string m_function;
    std::vector<std::string_view> m_names;
    std::vector<Value> m_values;
    std::vector<bool> m_given;
};

} // namespace fireside::jinja
