#include "app/server/guard.h"

#include "app/server/header_text.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cctype>

namespace fireside::server {
namespace {

constexpr std::size_t kMinKeyCharacters = 16; // where other computers may reach the server

/// "scheme://host" or "scheme://host:port", as browsers send it; extensions have schemes of their
/// own.
bool isWebOrigin(std::string_view text)
{
    const std::size_t end = text.find("://");
    if (end == 0 || end == std::string_view::npos)
        return false;
    const std::string_view host = text.substr(end + 3);
    return !host.empty() && !hasControlCharacter(text) &&
           host.find_first_of("/?#@* ") == std::string_view::npos &&
           text.substr(0, end).find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") ==
               std::string_view::npos;
}

void checkOrigins(const GuardSettings &settings)
{
    for (const std::string &origin : settings.origins) {
        if (origin == "*" && settings.keys.empty())
            throwBadInput("the origin '*' lets every web page in: that needs a key");
        if (origin != "*" && !isWebOrigin(origin))
            throwBadInput("the origin " + fireside::quoted(origin) +
                          " is none that browsers send: it is like http://localhost:3000, without "
                          "a path, or '*' for all");
    }
}

bool isKeyName(std::string_view text)
{
    constexpr std::size_t kMaxNameCharacters = 40;
    return !text.empty() && text.size() <= kMaxNameCharacters &&
           std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
           });
}

/// Of several keys each gets a name.
void nameKeys(std::vector<ApiKey> &keys)
{
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].name.empty() && keys.size() > 1)
            keys[i].name = "key-" + std::to_string(i + 1);
        for (std::size_t k = 0; k < i; ++k) {
            if (keys[k].name == keys[i].name)
                throwBadInput("two keys have the name " + fireside::quoted(keys[i].name));
            if (keys[k].key == keys[i].key)
                throwBadInput("the keys " + fireside::quoted(keys[k].name) + " and " +
                              fireside::quoted(keys[i].name) + " are the same");
        }
    }
}

} // namespace

ApiKey readApiKey(std::string_view text)
{
    ApiKey read{{}, std::string(text)};
    const std::size_t equals = text.find('=');
    if (equals == 0) {
        read.key = text.substr(1);
    } else if (equals != std::string_view::npos && isKeyName(text.substr(0, equals)) &&
               text.find_first_not_of('=', equals) != std::string_view::npos &&
               text.substr(equals, 2) != "==") { // "…=" and "…==" are the ends of Base64
        read.name = text.substr(0, equals);
        read.key = text.substr(equals + 1);
    }
    if (read.key.find_first_not_of(" \t\r\n") == std::string::npos)
        throwBadInput("a key is empty: without --key, no key is needed");
    if (hasControlCharacter(read.key) || read.key.front() == ' ' || read.key.back() == ' ')
        throwBadInput("a key has a control character or a space at an end, which clients cannot "
                      "send");
    return read;
}

bool isLoopback(std::string_view host)
{
    const std::string name = lowerCase(host);
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
    const auto isShort = [](const ApiKey &one) { return one.key.size() < kMinKeyCharacters; };
    const std::vector<ApiKey> &keys = m_settings.keys;
    if (m_settings.host.find_first_not_of(" \t\r\n") == std::string::npos)
        throwBadInput("the address to listen on is empty");
    if (!isLoopback(m_settings.host) &&
        (keys.empty() || std::any_of(keys.begin(), keys.end(), isShort)))
        throwBadInput("other computers may reach " + m_settings.host +
                      ": that needs a key of at least " + std::to_string(kMinKeyCharacters) +
                      " characters");
    for (const ApiKey &one : keys)
        if (one.key.empty()) // any request would have it
            throwBadInput("a key is empty");
    checkOrigins(m_settings);
    nameKeys(m_settings.keys);
}

bool Guard::allows(std::string_view origin) const
{
    return std::any_of(
        m_settings.origins.begin(), m_settings.origins.end(),
        [&](const std::string &one) { return one == "*" || lowerCase(one) == lowerCase(origin); });
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

const ApiKey *Guard::keyOf(const RequestHead &head) const
{
    constexpr std::string_view kBearer = "bearer ";
    if (head.authorizations.size() > 1 || head.apiKeys.size() > 1)
        return nullptr;
    std::vector<std::string_view> given(head.apiKeys.begin(), head.apiKeys.end());
    for (std::string_view value : head.authorizations)
        if (lowerCase(value.substr(0, kBearer.size())) == kBearer)
            given.push_back(value.substr(kBearer.size()));
    const ApiKey *found = nullptr;
    for (const std::string_view value : given)    // some clients send a stale key in one of the two
        for (const ApiKey &one : m_settings.keys) // all of them: the time tells nothing
            found = sameSecret(value, one.key) ? &one : found;
    return found;
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
    const ApiKey *const key = keyOf(head);
    if (!m_settings.keys.empty() && !open && key == nullptr)
        return Refusal{401, "the key is missing or wrong: Authorization: Bearer KEY"};
    if (head.path == "/metrics" && hasSeveralKeys() && key != &m_settings.keys.front())
        return Refusal{403, "/metrics counts what all clients do: it is for the first key alone"};
    if (head.method == "POST" &&
        (head.contentTypes.size() != 1 ||
         !lowerCase(head.contentTypes.front()).starts_with("application/json")))
        return Refusal{415, "the body must be application/json"};
    return {};
}

} // namespace fireside::server
