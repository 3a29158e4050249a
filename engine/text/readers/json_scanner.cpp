#include "engine/text/readers/json_scanner.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace fireside {

bool JsonScanner::skipString(std::string_view &raw)
{
    if (!take('"'))
        return false;
    const char *const start = m_at;
    for (;;) {
        skipPlain();
        if (atEnd())
            return false;
        const char stop = *m_at++;
        if (stop == '"')
            break;
        if (stop != '\\' || atEnd())
            return false;
        ++m_at;
    }
    raw = {start, static_cast<std::size_t>(m_at - 1 - start)};
    return true;
}

/// One text is left to the parser, which knows the escapes.
bool JsonScanner::readEscaped(const char *quote, std::string_view &text)
{
    m_at = quote;
    if (!skipString(text))
        return false;
    const auto value = nlohmann::json::parse(quote, m_at, nullptr, false);
    if (!value.is_string())
        return false;
    text = m_unescaped.emplace_back(value.get_ref<const std::string &>());
    return true;
}

std::size_t JsonScanner::skipDigits()
{
    const char *const start = m_at;
    while (!atEnd() && *m_at >= '0' && *m_at <= '9')
        ++m_at;
    return static_cast<std::size_t>(m_at - start);
}

bool JsonScanner::readNumber(double &value)
{
    const char *const start = m_at;
    take('-');
    const bool zero = next() == '0';
    const std::size_t digits = skipDigits();
    if (digits == 0 || (zero && digits > 1))
        return false;
    if (take('.') && skipDigits() == 0)
        return false;
    if (take('e') || take('E')) {
        if (!take('-'))
            take('+');
        if (skipDigits() == 0)
            return false;
    }
    const auto [end, error] = std::from_chars(start, m_at, value);
    return error == std::errc() && end == m_at;
}

} // namespace fireside
