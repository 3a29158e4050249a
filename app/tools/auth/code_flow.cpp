#include "app/tools/auth/code_flow.h"

#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/proofs.h"
#include "app/tools/tool_json.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QRandomGenerator>
#include <QUrlQuery>

#include <array>

namespace fireside::auth {
namespace {

constexpr auto kUrlLetters = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

QString formText(const QString &text)
{
    return QString::fromLatin1(QUrl::toPercentEncoding(text));
}

/// The value of a parameter that comes once; nothing where it is missing or comes twice.
QString single(const QUrlQuery &query, const char *name)
{
    const QStringList values = query.allQueryItemValues(QLatin1String(name), QUrl::FullyDecoded);
    return values.size() == 1 ? values.first() : QString();
}

QString methodFor(const AuthClient &client, const QStringList &known)
{
    if (!client.key.isEmpty())
        return QStringLiteral("private_key_jwt");
    if (client.secret.isEmpty())
        return QStringLiteral("none");
    if (!client.method.isEmpty())
        return client.method;
    const bool post = known.contains(QLatin1String("client_secret_post"));
    const bool basic = known.contains(QLatin1String("client_secret_basic"));
    const bool none = known.contains(QLatin1String("none"));
    if (basic || (!post && !none)) // what holds where nothing is said
        return QStringLiteral("client_secret_basic");
    return post ? QStringLiteral("client_secret_post") : QStringLiteral("none");
}

} // namespace

QString newSecret()
{
    std::array<quint32, 8> random{};
    QRandomGenerator::system()->fillRange(random.data(), random.size());
    return QString::fromLatin1(QByteArray(reinterpret_cast<const char *>(random.data()),
                                          static_cast<qsizetype>(sizeof random))
                                   .toBase64(kUrlLetters));
}

QString challengeOf(const QString &verifier)
{
    return QString::fromLatin1(
        QCryptographicHash::hash(verifier.toLatin1(), QCryptographicHash::Sha256)
            .toBase64(kUrlLetters));
}

QStringList scopesToAsk(const QStringList &challenged, const QStringList &configured,
                        const QStringList &described, const QStringList &before,
                        const QStringList &offered)
{
    const QStringList &wanted = !challenged.isEmpty()   ? challenged
                                : !configured.isEmpty() ? configured
                                                        : described;
    QStringList scopes = before;
    for (const QString &scope : wanted)
        if (!scopes.contains(scope))
            scopes += scope;
    const QString offline = QStringLiteral("offline_access");
    if (!scopes.isEmpty() && offered.contains(offline) && !scopes.contains(offline))
        scopes += offline;
    return scopes;
}

QUrl authorizationAddress(const QUrl &endpoint, const CodeRequest &request)
{
    Form form{{QStringLiteral("response_type"), QStringLiteral("code")},
              {QStringLiteral("client_id"), request.clientId},
              {QStringLiteral("redirect_uri"), request.redirect},
              {QStringLiteral("state"), request.state},
              {QStringLiteral("code_challenge"), challengeOf(request.verifier)},
              {QStringLiteral("code_challenge_method"), QStringLiteral("S256")},
              {QStringLiteral("resource"), request.resource}};
    if (!request.scopes.isEmpty())
        form.append({QStringLiteral("scope"), request.scopes.join(QLatin1Char(' '))});
    if (request.scopes.contains(QLatin1String("offline_access")))
        form.append({QStringLiteral("prompt"), QStringLiteral("consent")}); // OpenID wants it
    QUrl url = endpoint;
    QString query = url.query(QUrl::FullyEncoded); // it may have one of its own
    if (!query.isEmpty())
        query += QLatin1Char('&');
    url.setQuery(query + QString::fromLatin1(encoded(form)), QUrl::StrictMode);
    return url;
}

CodeReply readReply(const QByteArray &target, const QString &path, const QString &state,
                    const ServerMetadata &server)
{
    const QUrl url = QUrl::fromEncoded(target, QUrl::StrictMode);
    QString query = url.query(QUrl::FullyEncoded);
    query.replace(QLatin1Char('+'), QLatin1String("%20"));
    const QUrlQuery values(query);
    if (!url.isValid() || url.path() != path || state.isEmpty() || single(values, "state") != state)
        return {};
    const bool named = values.hasQueryItem(QStringLiteral("iss"));
    if (named ? single(values, "iss") != server.issuer : server.namesItself)
        return {
            CodeReply::Untrusted,
            {},
            AuthTexts::tr("the answer does not come from %1, which was asked").arg(server.issuer)};
    if (values.hasQueryItem(QStringLiteral("error"))) {
        const QString error = single(values, "error");
        const QString text = single(values, "error_description");
        return {CodeReply::Refused,
                {},
                error == QLatin1String("access_denied")
                    ? AuthTexts::tr("access was not granted")
                    : AuthTexts::tr("it was refused: %1")
                          .arg(foreignClause(text.isEmpty() ? error : text))};
    }
    const QString code = single(values, "code");
    if (code.isEmpty() || code.size() > 8192)
        return {CodeReply::Refused, {}, AuthTexts::tr("the browser came back without a code")};
    return {CodeReply::Code, code, {}};
}

QByteArray encoded(const Form &form)
{
    QStringList parts;
    for (const auto &[name, value] : form)
        parts += formText(name) + QLatin1Char('=') + formText(value);
    return parts.join(QLatin1Char('&')).toLatin1();
}

Form codeForm(const CodeRequest &request, const QString &code)
{
    return {{QStringLiteral("grant_type"), QStringLiteral("authorization_code")},
            {QStringLiteral("code"), code},
            {QStringLiteral("redirect_uri"), request.redirect},
            {QStringLiteral("code_verifier"), request.verifier},
            {QStringLiteral("resource"), request.resource}};
}

Form refreshForm(const QByteArray &token, const QString &resource)
{
    return {{QStringLiteral("grant_type"), QStringLiteral("refresh_token")},
            {QStringLiteral("refresh_token"), QString::fromLatin1(token)},
            {QStringLiteral("resource"), resource}};
}

Form revocationForm(const QByteArray &token, const QString &kind)
{
    return {{QStringLiteral("token"), QString::fromLatin1(token)},
            {QStringLiteral("token_type_hint"), kind}};
}

Form machineForm(const QStringList &scopes, const QString &resource)
{
    Form form{{QStringLiteral("grant_type"), QStringLiteral("client_credentials")},
              {QStringLiteral("resource"), resource}};
    if (!scopes.isEmpty())
        form.append({QStringLiteral("scope"), scopes.join(QLatin1Char(' '))});
    return form;
}

TokenRequest tokenRequest(Form form, const AuthClient &client, const ServerMetadata &server)
{
    const QString method = methodFor(client, server.tokenMethods);
    TokenRequest request;
    if (method == QLatin1String("client_secret_basic")) { // RFC 6749, 2.3.1
        const QString pair = formText(client.id) + QLatin1Char(':') + formText(client.secret);
        request.authorization = "Basic " + pair.toLatin1().toBase64();
    } else if (method == QLatin1String("private_key_jwt")) { // RFC 7523, 2.2
        form.append({QStringLiteral("client_id"), client.id});
        form.append({QStringLiteral("client_assertion_type"),
                     QStringLiteral("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")});
        if (const auto key = SigningKey::read(client.key))
            form.append({QStringLiteral("client_assertion"),
                         QString::fromLatin1(clientAssertion(*key, client.id, server.issuer,
                                                             QDateTime::currentSecsSinceEpoch()))});
    } else {
        form.append({QStringLiteral("client_id"), client.id});
        if (method == QLatin1String("client_secret_post"))
            form.append({QStringLiteral("client_secret"), client.secret});
    }
    request.body = encoded(form);
    return request;
}

Revocation revocationOf(const AuthClient &client, const ServerMetadata &server)
{
    if (server.revocation.isEmpty())
        return {};
    const QStringList &methods =
        server.revocationMethods.isEmpty() ? server.tokenMethods : server.revocationMethods;
    return {server.revocation.toString(QUrl::FullyEncoded), methodFor(client, methods)};
}

QByteArray registrationBody(const ServerMetadata &server, const QString &redirect,
                            const QStringList &scopes)
{
    // A program that everybody has can keep no secret; where one is demanded it is taken.
    std::string method = "none";
    const QStringList &methods = server.tokenMethods;
    if (!methods.isEmpty() && !methods.contains(QLatin1String("none")))
        for (const char *one : {"client_secret_post", "client_secret_basic"})
            if (methods.contains(QLatin1String(one)))
                method = one;
    ToolJson body{{"client_name", "Fireside"},
                  {"application_type", "native"},
                  {"redirect_uris", {redirect.toStdString()}},
                  {"grant_types", {"authorization_code", "refresh_token"}},
                  {"response_types", {"code"}},
                  {"token_endpoint_auth_method", method}};
    if (!scopes.isEmpty())
        body["scope"] = scopes.join(QLatin1Char(' ')).toStdString();
    return bytesOf(body);
}

} // namespace fireside::auth
