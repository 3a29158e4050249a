#include "engine/text/jinja/values/arguments.h"

#include "engine/core/quote.h"

#include "engine/text/jinja/values/operators.h"

#include <algorithm>

namespace fireside::jinja {

Parameters::Parameters(std::string_view function, const Arguments &args,
                       std::initializer_list<std::string_view> names, std::size_t required)
    : m_function(function)
    , m_names(names)
    , m_values(names.size())
    , m_given(names.size(), false)
{
    if (args.positional.size() > m_names.size())
        throw TemplateError(m_function + "() takes at most " + std::to_string(m_names.size()) +
                            " arguments (" + std::to_string(args.positional.size()) + " given)");
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        m_values[i] = args.positional[i];
        m_given[i] = true;
    }
    for (const auto &[name, value] : args.named) {
        const auto found = std::find(m_names.begin(), m_names.end(), name);
        if (found == m_names.end())
            throw TemplateError(m_function + "() got an unexpected keyword argument " +
                                fireside::quoted(name));
        const auto i = static_cast<std::size_t>(found - m_names.begin());
        if (m_given[i])
            throw TemplateError(m_function + "() got multiple values for argument " +
                                fireside::quoted(name));
        m_values[i] = value;
        m_given[i] = true;
    }
    for (std::size_t i = 0; i < required; ++i) {
        if (!m_given[i])
            throw TemplateError(m_function + "() is missing its argument '" +
                                std::string(m_names[i]) + "'");
    }
}

std::int64_t Parameters::integer(std::size_t i, std::int64_t fallback) const
{
    if (!m_given[i] || m_values[i].isNone())
        return fallback;
    if (!m_values[i].isInteger())
        throw TemplateError(m_function + "(): '" + std::string(m_names[i]) +
                            "' must be an integer, not " + typeName(m_values[i]));
    return m_values[i].asInteger();
}

bool Parameters::truth(std::size_t i, bool fallback) const
{
    return m_given[i] ? isTrue(m_values[i]) : fallback;
}

const StringObject *Parameters::text(std::size_t i) const
{
    if (!m_given[i] || m_values[i].isNone())
        return nullptr;
    if (!m_values[i].isString())
        throw TemplateError(m_function + "(): '" + std::string(m_names[i]) +
                            "' must be a string, not " + typeName(m_values[i]));
    return &m_values[i].asString();
}

const StringObject &Parameters::requiredText(std::size_t i) const
{
    const StringObject *s = text(i);
    if (!s)
        throw TemplateError(m_function + "(): '" + std::string(m_names[i]) + "' must be a string");
    return *s;
}

} // namespace fireside::jinja
