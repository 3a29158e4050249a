#pragma once
#include <string>
#include <string_view>

namespace fireside {

/// Joins token bytes into whole UTF-8 characters: what push() returns is always valid UTF-8; a
/// split character waits for its rest; a byte that can never be valid becomes U+FFFD.
class Utf8Stream
{
public:
    std::string push(std::string_view bytes);
    std::string finish();                             // what is still waiting becomes U+FFFD
    bool waits() const { return !m_pending.empty(); } // for the rest of a character

private:
    std::string m_pending; // at most 3 bytes
};

} // namespace fireside
