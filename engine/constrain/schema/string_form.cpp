#include "engine/constrain/schema/string_form.h"

#include "engine/constrain/regex_reader.h"
#include "engine/constrain/schema/formats.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cmath>

namespace fireside::constrain {

std::uint32_t countOf(const SchemaPart &part, const char *keyword, std::uint32_t fallback)
{
    const Json *value = SchemaDocument::find(part, keyword);
    if (value == nullptr)
        return fallback;
    const double number = value->is_number() ? value->get<double>() : -1;
    if (number < 0 || number != std::floor(number))
        failSchema(part, "'" + std::string(keyword) + "' is no whole number of at least 0");
    return static_cast<std::uint32_t>(std::min(number, double{kUnlimited - 1}));
}

const CharDfa &Patterns::pattern(const SchemaPart &part, const std::string &pattern)
{
    const auto known = m_patterns.find(pattern);
    if (known != m_patterns.end())
        return known->second;
    try {
        return m_patterns.emplace(pattern, readRegex(pattern, RegexMatch::Search, m_limits))
            .first->second;
    } catch (const Error &error) {
        throw Error(error.kind(),
                    "JSON schema, " + printable(part.place, 200) + ": " + error.what());
    }
}

StringForm Patterns::formOf(const SchemaParts &parts, SchemaDocument &document)
{
    StringForm form;
    const auto add = [&](const CharDfa &dfa) {
        form.dfa = form.dfa ? form.dfa->both(dfa, m_limits) : dfa;
    };
    for (const SchemaPart &part : parts) {
        form.min = std::max(form.min, countOf(part, "minLength", 0));
        form.max = std::min(form.max, countOf(part, "maxLength", kUnlimited));
        if (const Json *pattern = SchemaDocument::find(part, "pattern")) {
            if (!pattern->is_string())
                failSchema(part, "'pattern' is no text");
            add(this->pattern(part, pattern->get<std::string>()));
        }
        if (const Json *format = SchemaDocument::find(part, "format")) {
            if (!format->is_string())
                failSchema(part, "'format' is no text");
            const auto name = format->get<std::string>();
            if (const char *regex = regexOfFormat(name)) {
                const std::string whole = "^(?:" + std::string(regex) + ")$";
                add(this->pattern(part, whole));
            } else if (m_lenient) {
                document.note(part.place + ": the format '" + name + "' is left out");
            } else {
                refuseSchema(part, "the format " + fireside::quoted(name));
            }
        }
    }
    return form;
}

CharDfa Patterns::dfaOf(const StringForm &form) const
{
    const CharDfa all = form.dfa ? *form.dfa : CharDfa::anything();
    if (form.min == 0 && form.max == kUnlimited)
        return all;
    return all.both(CharDfa::ofLength(form.min, form.max, m_limits), m_limits);
}

} // namespace fireside::constrain
