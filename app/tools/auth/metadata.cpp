#include "app/tools/auth/metadata.h"

#include "app/tools/auth/addresses.h"
#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/challenge.h"
#include "app/tools/tool_json.h"

#include <algorithm>

namespace fireside::auth {
namespace {

constexpr std::size_t kMostEntries = 200;
constexpr qsizetype kLongestText = 4096, kLongestToken = 64 << 10;
constexpr qint64 kLongestLife = 10LL * 366 * 24 * 3600;

QStringList textsIn(const ToolJson &json, const char *name)
{
    QStringList texts;
    const ToolJson *const list = memberOf(json, name);
    if (!list || !list->is_array())
        return texts;
    for (std::size_t i = 0; i < std::min(list->size(), kMostEntries); ++i)
        if (const ToolJson &one = (*list)[i]; one.is_string())
            texts += QString::fromStdString(one.get_ref<const std::string &>()).left(kLongestText);
    return texts;
}

bool trueIn(const ToolJson &json, const char *name)
{
    const ToolJson *const value = memberOf(json, name);
    return value && value->is_boolean() && value->get<bool>();
}

qint64 numberIn(const ToolJson &json, const char *name)
{
    const ToolJson *const value = memberOf(json, name);
    if (value && value->is_string()) // some write it so
        return QString::fromStdString(value->get<std::string>()).toLongLong();
    const double number = value && value->is_number() ? value->get<double>() : 0;
    return number > 0 && number < 1e15 ? static_cast<qint64>(number) : 0;
}

bool takesProofs(const ToolJson &json)
{
    return textsIn(json, "dpop_signing_alg_values_supported").contains(QLatin1String("ES256"));
}

/// The same but for a "/" after a host alone, which many programs add.
bool sameIssuer(const QString &named, const QUrl &issuer)
{
    const QString asked = issuer.toString(QUrl::FullyEncoded);
    const bool bare = issuer.path().isEmpty() || issuer.path() == QLatin1String("/");
    const auto without = [](QString text) {
        if (text.endsWith(QLatin1Char('/')))
            text.chop(1);
        return text;
    };
    return named == asked || (bare && without(named) == without(asked));
}

/// Tokens go into a header.
bool isTokenText(const QString &text)
{
    return !text.isEmpty() && text.size() <= kLongestToken &&
           std::all_of(text.begin(), text.end(),
                       [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; });
}

} // namespace

static std::optional<ToolJson> objectIn(const QByteArray &answer, QString &problem)
{
    auto json = answer.size() > kLargestAnswer ? std::nullopt : parsedJson(answer);
    if (json && json->is_object())
        return json;
    problem = AuthTexts::tr("the answer is not the JSON that it should be");
    return std::nullopt;
}

std::optional<ResourceMetadata> readResourceMetadata(const QByteArray &answer, const QUrl &server,
                                                     QString &problem)
{
    const auto json = objectIn(answer, problem);
    if (!json)
        return std::nullopt;
    ResourceMetadata read;
    read.resource = textIn(*json, "resource").left(kLongestText);
    if (!covers(read.resource, server)) {
        problem = AuthTexts::tr("its description is about another server, “%1”")
                      .arg(foreignClause(read.resource));
        return std::nullopt;
    }
    read.servers = textsIn(*json, "authorization_servers");
    read.scopes = scopesIn(textsIn(*json, "scopes_supported").join(QLatin1Char(' ')));
    read.proofs = trueIn(*json, "dpop_bound_access_tokens_required") || takesProofs(*json);
    return read;
}

std::optional<ServerMetadata> readServerMetadata(const QByteArray &answer, const QUrl &issuer,
                                                 const QUrl &server, QString &problem)
{
    const auto json = objectIn(answer, problem);
    if (!json)
        return std::nullopt;
    ServerMetadata read;
    read.issuer = textIn(*json, "issuer").left(kLongestText);
    if (!sameIssuer(read.issuer, issuer)) {
        problem = AuthTexts::tr("%1 describes itself as “%2”")
                      .arg(issuer.toString(), foreignClause(read.issuer));
        return std::nullopt;
    }
    const auto place = [&](const char *name) {
        const QUrl url(textIn(*json, name).left(kLongestText), QUrl::StrictMode);
        if (problem.isEmpty() && !url.isEmpty())
            problem = problemOf(url, server);
        return url;
    };
    read.authorization = place("authorization_endpoint");
    read.token = place("token_endpoint");
    read.registration = place("registration_endpoint");
    // Nobody needs it to sign in: a place that cannot be used is none.
    const QUrl revocation(textIn(*json, "revocation_endpoint").left(kLongestText),
                          QUrl::StrictMode);
    if (!revocation.isEmpty() && problemOf(revocation, server).isEmpty())
        read.revocation = revocation;
    if (problem.isEmpty() && (read.authorization.isEmpty() || read.token.isEmpty()))
        problem = AuthTexts::tr("it does not say where one signs in");
    // Without it a code that is caught on its way could be used by others.
    if (problem.isEmpty() &&
        !textsIn(*json, "code_challenge_methods_supported").contains(QLatin1String("S256")))
        problem = AuthTexts::tr("it does not announce PKCE (S256), without which signing in is "
                                "not safe");
    if (!problem.isEmpty())
        return std::nullopt;
    read.scopes = scopesIn(textsIn(*json, "scopes_supported").join(QLatin1Char(' ')));
    read.tokenMethods = textsIn(*json, "token_endpoint_auth_methods_supported");
    read.revocationMethods = textsIn(*json, "revocation_endpoint_auth_methods_supported");
    read.proofs = takesProofs(*json);
    read.documents = trueIn(*json, "client_id_metadata_document_supported");
    read.namesItself = trueIn(*json, "authorization_response_iss_parameter_supported");
    return read;
}

ServerMetadata customaryMetadata(const QUrl &root)
{
    ServerMetadata made;
    made.issuer = root.toString(QUrl::FullyEncoded);
    const auto place = [&](const char *path) {
        QUrl url = root;
        url.setPath(QLatin1String(path));
        return url;
    };
    made.authorization = place("/authorize");
    made.token = place("/token");
    made.registration = place("/register");
    return made;
}

std::optional<AuthClient> readRegistration(const QByteArray &answer, QString &problem)
{
    const auto json = objectIn(answer, problem);
    if (!json)
        return std::nullopt;
    AuthClient client;
    client.id = textIn(*json, "client_id");
    client.secret = textIn(*json, "client_secret");
    client.method = textIn(*json, "token_endpoint_auth_method").left(100);
    client.expires = numberIn(*json, "client_secret_expires_at");
    if (!isTokenText(client.id) || (!client.secret.isEmpty() && !isTokenText(client.secret))) {
        problem = AuthTexts::tr("the registration has no usable client ID");
        return std::nullopt;
    }
    return client;
}

std::optional<Tokens> readTokens(const QByteArray &answer, qint64 now, bool mayBind,
                                 QString &problem)
{
    const auto json = objectIn(answer, problem);
    if (!json)
        return std::nullopt;
    const QString access = textIn(*json, "access_token"), refresh = textIn(*json, "refresh_token");
    if (!isTokenText(access)) {
        problem = AuthTexts::tr("the answer holds no usable token");
        return std::nullopt;
    }
    const QString type = textIn(*json, "token_type");
    const bool bound = mayBind && type.compare(QLatin1String("DPoP"), Qt::CaseInsensitive) == 0;
    if (!bound && type.compare(QLatin1String("Bearer"), Qt::CaseInsensitive) != 0) {
        problem = AuthTexts::tr("the token is of the kind “%1”, which Fireside does not know")
                      .arg(foreignClause(type));
        return std::nullopt;
    }
    Tokens tokens;
    tokens.bound = bound;
    tokens.access = access.toLatin1();
    tokens.refresh = isTokenText(refresh) ? refresh.toLatin1() : QByteArray();
    const qint64 life = std::min(numberIn(*json, "expires_in"), kLongestLife);
    tokens.expires = life > 0 ? now + life : 0;
    tokens.scopes = scopesIn(textIn(*json, "scope"));
    return tokens;
}

Refusal readRefusal(const QByteArray &answer)
{
    const auto json = answer.size() > kLargestAnswer ? std::nullopt : parsedJson(answer);
    if (!json)
        return {};
    const QString error = textIn(*json, "error").left(100);
    const QString text = textIn(*json, "error_description");
    return {error, foreignClause(text.isEmpty() ? error : text)};
}

} // namespace fireside::auth
