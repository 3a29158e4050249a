#pragma once
#include <atomic>
#include <httplib.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace fireside::test {

/// A server of tools that wants to be signed in to, and the one where that is done, at one address.
/// Its ways are chosen by the test; strings that are empty mean the right thing.
class AuthServer
{
public:
    AuthServer();
    ~AuthServer();

    std::string address() const { return "http://127.0.0.1:" + std::to_string(m_port); }

    // Set before it is asked, or by `change`.
    std::string resource, issuer, authorizationPlace, tokenPlace, metadataRedirect;
    std::string replyState, replyIssuer, replyError, clientId = "client-1", tokenAnswer;
    std::string callScope; // that tools/call wants
    std::string revocationPlace;
    int revocationStatus = 200;
    bool pkce = true, registers = true, refreshes = true, neverEnough = false, huge = false;
    bool revokes = true;
    bool proofs = false;    // tokens are bound to a key
    std::string proofNonce; // that proofs must hold
    bool namesItself = false, refusesTokens = false, forgetsClients = false, described = true;
    std::string secondIssuer; // "/two": that it trusts instead, at this path

    template <typename Change>
    void change(Change &&what)
    {
        const std::lock_guard lock(m_mutex);
        what(*this);
    }
    void revoke(bool refreshTokensToo = false);
    std::vector<std::string> revoked(); // forms that came to /revoke
    std::string proofProblem();
    std::string last(const std::string &parameter); // of the last request to /authorize or /token

    std::atomic<int> registrations = 0, authorizations = 0, codes = 0, refreshed = 0, refused = 0;

private:
    using Json = nlohmann::ordered_json;
    void addMetadata();
    void addEndpoints(const std::string &at);
    std::string problemOfProof(const httplib::Request &asked, const std::string &place,
                               const std::string &token);
    bool refusesProof(const httplib::Request &asked, const std::string &place,
                      const std::string &token, httplib::Response &answer);
    void post(const httplib::Request &asked, httplib::Response &answer);
    void giveToken(const httplib::Request &asked, httplib::Response &answer);
    static Json resultOf(const std::string &method);

    httplib::Server m_server;
    int m_port = 0;
    std::thread m_thread;
    std::mutex m_mutex;
    std::map<std::string, std::string> m_tokens; // access token → scopes
    std::set<std::string> m_refresh;
    std::map<std::string, std::string> m_last;
    std::vector<std::string> m_revoked;
    std::set<std::string> m_proofs;    // names of those that were seen
    std::string m_key, m_proofProblem; // that the token is bound to; of the last proof
    std::string m_challenge, m_redirect, m_scope;
    int m_given = 0;
};

} // namespace fireside::test
