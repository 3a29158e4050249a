#include "engine/generate/stop_strings.h"

#include <algorithm>
#include <utility>

namespace fireside {

StopStrings::StopStrings(std::vector<std::string> stops)
    : m_stops(std::move(stops))
{
    std::erase_if(m_stops, [](const std::string &s) { return s.empty(); });
}

std::string StopStrings::push(std::string_view text)
{
    if (m_found)
        return {};
    m_held += text;
    std::size_t stop = std::string::npos;
    for (const std::string &s : m_stops)
        if (const std::size_t at = m_held.find(s); at < stop) {
            stop = at;
            m_which = s;
        }
    if (stop != std::string::npos) {
        m_found = true;
        std::string shown = m_held.substr(0, stop);
        m_held.clear();
        return shown;
    }
    std::size_t hold = 0; // the longest tail that begins some stop string
    for (const std::string &s : m_stops)
        for (std::size_t n = std::min(s.size() - 1, m_held.size()); n > hold; --n)
            if (std::string_view(m_held).substr(m_held.size() - n) ==
                std::string_view(s).substr(0, n))
                hold = n;
    std::string shown = m_held.substr(0, m_held.size() - hold);
    m_held.erase(0, shown.size());
    return shown;
}

std::string StopStrings::finish()
{
    return m_found ? std::string() : std::exchange(m_held, {});
}

} // namespace fireside
