#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Who may talk to the server. A page in a browser can reach what listens on the own machine, so
// that is no protection: Host, Origin and key are.
namespace fireside::server {

struct GuardSettings
{
    std::string host = "127.0.0.1";
    int port = 0;
    std::string key{};                  // empty: none is asked for, on loopback only
    std::vector<std::string> origins{}; // of web pages that may ask: "http://localhost:3000"
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
    /// Error(BadInput) for another host than loopback without a key of 16 characters at least.
    explicit Guard(GuardSettings settings);
    std::optional<Refusal> refuse(const RequestHead &head) const;
    /// What is allowed to be asked from a page of this origin.
    bool allows(std::string_view origin) const;

private:
    bool isOwnName(std::string_view host) const;
    bool holdsKey(const RequestHead &head) const;

    const GuardSettings m_settings;
};

} // namespace fireside::server
