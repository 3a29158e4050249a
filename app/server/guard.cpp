#include "app/server/guard.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cctype>

namespace fireside::server {
namespace {

constexpr std::size_t kShortestKey = 16;

std::string lowered(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

} // namespace

bool isLoopback(std::string_view host)
{
    const std::string name = lowered(host);
    return name == "127.0.0.1" || name == "localhost" || name == "::1" || name == "[::1]";
}

bool sameSecret(std::string_view given, std::string_view expected)
{
    volatile unsigned different = given.size() == expected.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char other = expected.empty() ? '\0' : expected[i % expected.size()];
        different = different | static_cast<unsigned>(static_cast<unsigned char>(given[i] ^ other));
    }
    return different == 0;
}

Guard::Guard(GuardSettings settings)
    : m_settings(std::move(settings))
{
    if (!isLoopback(m_settings.host) && m_settings.key.size() < kShortestKey)
        throwBadInput("other computers may reach " + m_settings.host +
                      ": that needs a key of at least " + std::to_string(kShortestKey) +
                      " characters");
}

bool Guard::allows(std::string_view origin) const
{
    return std::find(m_settings.origins.begin(), m_settings.origins.end(), origin) !=
           m_settings.origins.end();
}

/// Names that a page cannot make point here: another one in Host means that its own name was made
/// to (DNS rebinding).
bool Guard::isOwnName(std::string_view host) const
{
    const std::string port = ":" + std::to_string(m_settings.port);
    if (host.ends_with(port))
        host.remove_suffix(port.size());
    return isLoopback(host);
}

bool Guard::holdsKey(const RequestHead &head) const
{
    constexpr std::string_view kBearer = "bearer ";
    if (head.authorizations.size() + head.apiKeys.size() != 1)
        return false;
    if (head.authorizations.empty())
        return sameSecret(head.apiKeys.front(), m_settings.key);
    const std::string_view given = head.authorizations.front();
    return lowered(given.substr(0, kBearer.size())) == kBearer &&
           sameSecret(given.substr(kBearer.size()), m_settings.key);
}

std::optional<Refusal> Guard::refuse(const RequestHead &head) const
{
    if (head.hosts.size() != 1)
        return Refusal{400, "a request names its Host once"};
    if (isLoopback(m_settings.host) && !isOwnName(head.hosts.front()))
        return Refusal{403, "this server answers only to its own name, not to the Host asked for"};
    if (head.origins.size() > 1)
        return Refusal{400, "more than one Origin"};
    if (!head.origins.empty() && !allows(head.origins.front()))
        return Refusal{403, "pages of this Origin may not use the server; --origin allows one"};
    if (head.method == "OPTIONS" && !head.origins.empty())
        return {}; // a browser asks what it may ask, without the key
    const bool open = head.path == "/health";
    if (!m_settings.key.empty() && !open && !holdsKey(head))
        return Refusal{401, "the key is missing or wrong: Authorization: Bearer KEY"};
    if (head.method == "POST" &&
        (head.contentTypes.size() != 1 ||
         !lowered(head.contentTypes.front()).starts_with("application/json")))
        return Refusal{415, "the body must be application/json"};
    return {};
}

} // namespace fireside::server
