#include "auth_server.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QList>

namespace fireside::test {
namespace {

void say(httplib::Response &answer, int status, const nlohmann::ordered_json &json)
{
    answer.status = status;
    answer.set_content(json.dump(), "application/json");
}

std::string either(const std::string &chosen, const std::string &otherwise)
{
    return chosen.empty() ? otherwise : chosen;
}

} // namespace

AuthServer::AuthServer()
{
    addMetadata();
    addEndpoints("");
    addEndpoints("/two");
    m_server.Post("/mcp", [this](const auto &asked, auto &answer) { post(asked, answer); });
    m_port = m_server.bind_to_any_port("127.0.0.1");
    m_thread = std::thread([this] { m_server.listen_after_bind(); });
}

AuthServer::~AuthServer()
{
    m_server.stop();
    m_thread.join();
}

void AuthServer::revoke(bool refreshTokensToo)
{
    const std::lock_guard lock(m_mutex);
    m_tokens.clear();
    if (refreshTokensToo)
        m_refresh.clear();
}

std::string AuthServer::last(const std::string &parameter)
{
    const std::lock_guard lock(m_mutex);
    return m_last[parameter];
}

std::vector<std::string> AuthServer::revoked()
{
    const std::lock_guard lock(m_mutex);
    return m_revoked;
}

void AuthServer::addMetadata()
{
    m_server.Get("/.well-known/oauth-protected-resource/mcp", [this](const auto &, auto &answer) {
        const std::lock_guard lock(m_mutex);
        if (!described) {
            answer.status = 404;
            return;
        }
        say(answer, 200,
            {{"resource", either(resource, address() + "/mcp")},
             {"authorization_servers", {address() + secondIssuer}},
             {"scopes_supported", {"read"}}});
    });
    const auto describe = [this](const std::string &at) {
        return [this, at](const httplib::Request &, httplib::Response &answer) {
            const std::lock_guard lock(m_mutex);
            if (!metadataRedirect.empty())
                return answer.set_redirect(metadataRedirect);
            Json json{{"issuer", either(issuer, address() + at)},
                      {"authorization_endpoint",
                       either(authorizationPlace, address() + at + "/authorize")},
                      {"token_endpoint", either(tokenPlace, address() + at + "/token")},
                      {"authorization_response_iss_parameter_supported", namesItself}};
            if (registers)
                json["registration_endpoint"] = address() + at + "/register";
            if (revokes)
                json["revocation_endpoint"] = either(revocationPlace, address() + at + "/revoke");
            if (proofs)
                json["dpop_signing_alg_values_supported"] = {"ES256"};
            if (pkce)
                json["code_challenge_methods_supported"] = {"S256"};
            if (huge)
                json["padding"] = std::string(1 << 20, 'x');
            say(answer, 200, json);
        };
    };
    m_server.Get("/.well-known/oauth-authorization-server", describe(""));
    m_server.Get("/.well-known/oauth-authorization-server/two", describe("/two"));
}

void AuthServer::addEndpoints(const std::string &at)
{
    m_server.Post(at + "/register", [this](const auto &, auto &answer) {
        const std::lock_guard lock(m_mutex);
        ++registrations;
        say(answer, 201, {{"client_id", clientId}});
    });
    m_server.Get(at + "/authorize", [this, at](const auto &asked, auto &answer) {
        const std::lock_guard lock(m_mutex);
        ++authorizations;
        for (const auto &[name, value] : asked.params)
            m_last[name] = value;
        m_challenge = asked.get_param_value("code_challenge");
        m_redirect = asked.get_param_value("redirect_uri");
        m_scope = asked.get_param_value("scope");
        httplib::Params back{{"state", either(replyState, asked.get_param_value("state"))}};
        if (replyError.empty())
            back.emplace("code", "code-" + std::to_string(authorizations.load()));
        else
            back.emplace("error", replyError);
        if (namesItself || !replyIssuer.empty())
            back.emplace("iss", either(replyIssuer, address() + at));
        answer.set_redirect(m_redirect + "?" + httplib::detail::params_to_query_str(back));
    });
    m_server.Post(at + "/revoke", [this](const auto &asked, auto &answer) {
        const std::lock_guard lock(m_mutex);
        m_revoked.push_back(asked.body);
        m_tokens.erase(asked.get_param_value("token"));
        m_refresh.erase(asked.get_param_value("token"));
        answer.status = revocationStatus;
    });
    m_server.Post(at + "/token",
                  [this](const auto &asked, auto &answer) { giveToken(asked, answer); });
}

void AuthServer::giveToken(const httplib::Request &asked, httplib::Response &answer)
{
    const std::lock_guard lock(m_mutex);
    for (const auto &[name, value] : asked.params)
        m_last[name] = value;
    const std::string grant = asked.get_param_value("grant_type");
    const auto refuse = [&](const char *error) {
        ++refused;
        say(answer, 400, {{"error", error}, {"error_description", "not today"}});
    };
    if (proofs && refusesProof(asked, address() + asked.path, {}, answer))
        return;
    if (!tokenAnswer.empty())
        return answer.set_content(tokenAnswer, "application/json");
    if (forgetsClients)
        return refuse("invalid_client");
    if (grant == "refresh_token") {
        if (!refreshes || m_refresh.erase(asked.get_param_value("refresh_token")) == 0)
            return refuse("invalid_grant");
        ++refreshed;
    } else {
        const QByteArray verifier =
            QByteArray::fromStdString(asked.get_param_value("code_verifier"));
        const QByteArray hash = QCryptographicHash::hash(verifier, QCryptographicHash::Sha256);
        const auto form = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;
        if (grant != "authorization_code" ||
            asked.get_param_value("code") != "code-" + std::to_string(authorizations.load()) ||
            asked.get_param_value("redirect_uri") != m_redirect ||
            hash.toBase64(form).toStdString() != m_challenge)
            return refuse("invalid_grant");
        ++codes;
    }
    const std::string access = "access-" + std::to_string(++m_given);
    const std::string refresh = "refresh-" + std::to_string(m_given);
    m_tokens[access] = m_scope;
    m_refresh.insert(refresh);
    say(answer, 200,
        {{"access_token", access},
         {"token_type", proofs ? "DPoP" : "Bearer"},
         {"expires_in", 3600},
         {"refresh_token", refresh}});
}

/// Of its claims; who signed it is tested elsewhere.
std::string AuthServer::problemOfProof(const httplib::Request &asked, const std::string &place,
                                       const std::string &token)
{
    constexpr auto kLetters = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;
    const QList<QByteArray> parts =
        QByteArray::fromStdString(asked.get_header_value("DPoP")).split('.');
    if (parts.size() != 3)
        return "there is no proof";
    const Json header = Json::parse(QByteArray::fromBase64(parts[0], kLetters).toStdString());
    const Json claims = Json::parse(QByteArray::fromBase64(parts[1], kLetters).toStdString());
    const QByteArray hash =
        QCryptographicHash::hash(QByteArray::fromStdString(token), QCryptographicHash::Sha256);
    if (header.at("typ") != "dpop+jwt" || header.at("alg") != "ES256" ||
        header.at("jwk").contains("d"))
        return "its header";
    if (claims.at("htm") != "POST" || claims.at("htu") != place)
        return "another request";
    if (claims.value("ath", std::string()) !=
        (token.empty() ? "" : hash.toBase64(kLetters).toStdString()))
        return "another token";
    if (!m_proofs.insert(claims.at("jti")).second)
        return "the same again";
    if (token.empty())
        m_key = header.at("jwk").dump();
    return header.at("jwk").dump() == m_key ? "" : "another key";
}

bool AuthServer::refusesProof(const httplib::Request &asked, const std::string &place,
                              const std::string &token, httplib::Response &answer)
{
    m_proofProblem = problemOfProof(asked, place, token);
    const QByteArray claims = QByteArray::fromBase64(
        QByteArray::fromStdString(asked.get_header_value("DPoP")).split('.').value(1),
        QByteArray::Base64UrlEncoding);
    const bool nonce =
        proofNonce.empty() || claims.contains('"' + QByteArray::fromStdString(proofNonce) + '"');
    if (m_proofProblem.empty() && nonce)
        return false;
    if (!proofNonce.empty())
        answer.set_header("DPoP-Nonce", proofNonce);
    const char *const error = nonce ? "invalid_dpop_proof" : "use_dpop_nonce";
    answer.set_header("WWW-Authenticate", std::string("DPoP error=\"") + error + '"');
    say(answer, token.empty() ? 400 : 401, {{"error", error}});
    return true;
}

std::string AuthServer::proofProblem()
{
    const std::lock_guard lock(m_mutex);
    return m_proofProblem;
}

AuthServer::Json AuthServer::resultOf(const std::string &method)
{
    if (method == "server/discover")
        return {{"supportedVersions", {"2026-07-28"}},
                {"capabilities", {{"tools", Json::object()}}}};
    if (method == "tools/list")
        return {{"tools", {{{"name", "who"}, {"inputSchema", {{"type", "object"}}}}}}};
    return {{"content", {{{"type", "text"}, {"text", "you"}}}}};
}

void AuthServer::post(const httplib::Request &asked, httplib::Response &answer)
{
    const Json message = Json::parse(asked.body);
    const std::string method = message.value("method", std::string());
    const std::lock_guard lock(m_mutex);
    const std::string header = asked.get_header_value("Authorization");
    const std::string scheme = proofs ? "DPoP " : "Bearer ";
    const std::string token =
        header.starts_with(scheme) ? header.substr(scheme.size()) : std::string();
    const std::string place = address() + "/.well-known/oauth-protected-resource/mcp";
    if (!m_tokens.contains(token) || refusesTokens) {
        answer.set_header("WWW-Authenticate", scheme + "resource_metadata=\"" + place + "\"");
        return say(answer, 401, {{"error", "invalid_token"}});
    }
    if (proofs && refusesProof(asked, address() + "/mcp", token, answer))
        return;
    const std::string scopes = " " + m_tokens[token] + " ";
    if (method == "tools/call" && !callScope.empty() &&
        (neverEnough || scopes.find(" " + callScope + " ") == std::string::npos)) {
        answer.set_header("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"" +
                                                  callScope + "\", resource_metadata=\"" + place +
                                                  "\"");
        return say(answer, 403, {{"error", "insufficient_scope"}});
    }
    say(answer, 200,
        {{"jsonrpc", "2.0"}, {"id", message.value("id", Json())}, {"result", resultOf(method)}});
}

} // namespace fireside::test
