#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Who may talk to the server. A page in a browser can reach what listens on the own machine, so
// that is no protection: Host, Origin and key are.
namespace fireside::server {

struct ApiKey
{
    std::string name{}; // of whose it is; empty: it has none
    std::string key{};
};
/// "NAME=KEY", or a key alone. What begins with "=" is a key alone without that character, for keys
/// that contain one. Error(BadInput) for one that clients cannot send.
ApiKey readApiKey(std::string_view text);

struct GuardSettings
{
    std::string host = "127.0.0.1";
    int port = 0;
    std::vector<ApiKey> keys{}; // any of them will do; none: no key is needed, on loopback only
    /// Of web pages that may ask: "http://localhost:3000"; "*": all, where there is a key.
    std::vector<std::string> origins{};
};

/// What it looks at of a request; lists, as a header may come twice.
struct RequestHead
{
    std::string_view method, path;
    std::vector<std::string> hosts{}, origins{}, authorizations{}, apiKeys{}, contentTypes{};
};

struct Refusal
{
    int status = 0;
    std::string text{};
};

bool isLoopback(std::string_view host); // "127.0.0.1", "localhost", "::1"
/// In a time that depends on the lengths alone.
bool sameSecret(std::string_view given, std::string_view expected);

class Guard
{
public:
    /// Error(BadInput) for another host than loopback without keys of 16 characters at least, for
    /// keys or names that are there twice, and for origins that no page can have.
    explicit Guard(GuardSettings settings);
    std::optional<Refusal> refuse(const RequestHead &head) const;
    /// Which of the keys a request has; nullptr: none. Of several keys each has a name here.
    const ApiKey *keyOf(const RequestHead &head) const;
    bool hasSeveralKeys() const { return m_settings.keys.size() > 1; }
    /// What is allowed to be asked from a page of this origin.
    bool allows(std::string_view origin) const;

private:
    bool isOwnName(std::string_view host) const;

    GuardSettings m_settings;
};

} // namespace fireside::server
