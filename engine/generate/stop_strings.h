#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// Watches streamed text for stop strings. Text that could be the beginning of one is held back
/// until it is decided.
class StopStrings
{
public:
    explicit StopStrings(std::vector<std::string> stops); // empty ones are ignored

    /// What may be shown now. After found(), everything from the stop string on is dropped.
    std::string push(std::string_view text);
    std::string finish(); // the end: what was held back is no stop string
    bool found() const { return m_found; }
    const std::string &which() const { return m_which; } // was found

private:
    std::vector<std::string> m_stops;
    std::string m_held, m_which;
    bool m_found = false;
};

} // namespace fireside
