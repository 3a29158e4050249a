// What comes while one signs in to a server of tools, and what such servers ask of the user.
#include "tests/fuzz/sign_in_targets.h"

#include "app/tools/auth/addresses.h"
#include "app/tools/auth/challenge.h"
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/credentials.h"
#include "app/tools/auth/metadata.h"
#include "app/tools/mcp/elicitation.h"

#include <algorithm>

namespace fireside::fuzz {
namespace {

const QUrl kServer(QStringLiteral("https://tools.example/mcp"));
const QUrl kIssuer(QStringLiteral("https://issuer.example"));

/// That headers and forms can hold.
template <typename Text>
bool isPrintable(const Text &text)
{
    return std::all_of(text.begin(), text.end(), [](auto c) {
        const auto letter = QChar(c).unicode();
        return letter > 0x20 && letter < 0x7f;
    });
}

void checkScopes(const QStringList &scopes)
{
    check(scopes.size() <= 200);
    for (const QString &scope : scopes)
        check(!scope.isEmpty() && isPrintable(scope));
}

void readHeader(const QByteArray &header)
{
    const auth::Challenge challenge = auth::readChallenge(header);
    check(challenge.bearer || challenge == auth::Challenge());
    checkScopes(challenge.scopes);
    const auto places = auth::resourcePlaces(kServer, challenge.metadata);
    check(!places.isEmpty());
}

void checkMetadata(const auth::ServerMetadata &server)
{
    for (const QUrl &place :
         {server.authorization, server.token, server.registration, server.revocation})
        check(place.isEmpty() || auth::problemOf(place, kServer).isEmpty());
    checkScopes(server.scopes);
    auth::CodeRequest request;
    request.scopes = server.scopes;
    check(auth::authorizationAddress(server.authorization, request).isValid());
    check(parsedJson(auth::registrationBody(server, QStringLiteral("http://127.0.0.1:1/callback"),
                                            server.scopes))
              .has_value());
}

/// Each reader says why where it gives nothing.
template <typename Read>
auto read(const QByteArray &answer, Read reader)
{
    QString problem;
    auto result = reader(answer, problem);
    check(result.has_value() == problem.isEmpty());
    return result;
}

void readAnswers(const QByteArray &answer)
{
    const auto resource = read(answer, [](const QByteArray &text, QString &problem) {
        return auth::readResourceMetadata(text, kServer, problem);
    });
    if (resource) {
        check(auth::covers(resource->resource, kServer));
        checkScopes(resource->scopes);
    }
    const auto server = read(answer, [](const QByteArray &text, QString &problem) {
        return auth::readServerMetadata(text, kIssuer, kServer, problem);
    });
    if (server)
        checkMetadata(*server);
    const auto client = read(answer, auth::readRegistration);
    if (client) {
        check(!client->id.isEmpty() && isPrintable(client->id) && isPrintable(client->secret));
        const auto made = auth::tokenRequest({}, *client, server.value_or(auth::ServerMetadata()));
        check(!made.authorization.contains('\n') && isPrintable(made.body));
        auth::revocationOf(*client, server.value_or(auth::ServerMetadata()));
    }
    const auto tokens = read(answer, [](const QByteArray &text, QString &problem) {
        return auth::readTokens(text, 1'000, true, problem);
    });
    if (tokens) {
        check(!tokens->access.isEmpty() && isPrintable(tokens->access));
        check(isPrintable(tokens->refresh) && (tokens->expires == 0 || tokens->expires > 1'000));
        checkScopes(tokens->scopes);
        // What is kept is found again.
        const auth::Credentials kept{kServer.toString(),
                                     kIssuer.toString(),
                                     client.value_or(auth::AuthClient()),
                                     *tokens,
                                     {}};
        const auto again = auth::readCredentials(auth::written(kept), kServer.toString());
        check(again && again->tokens.access == tokens->access &&
              again->tokens.refresh == tokens->refresh);
    }
    auth::readRefusal(answer);
    auth::readCredentials(answer, kServer.toString());
}

void checkForm(const InputRequest &request, const QString &entered)
{
    check(request.fields.size() <= 50);
    for (const InputField &field : request.fields) {
        check(!field.name.isEmpty() && field.labels.size() == field.choices.size());
        for (const QVariant &value :
             {field.preset, QVariant(entered), QVariant(field.choices), QVariant(true)}) {
            QString problem;
            const auto checked = checkedInput(field, value, problem);
            check(checked.has_value() == problem.isEmpty() && problem.size() < 400);
            if (checked && checked->is_string() && field.pattern)
                check(field.pattern->matches(value.toString()));
        }
    }
}

} // namespace

/// A header, then an answer's body, read as each thing that it could be; as what the browser brings
/// back, too.
void signIn(Bytes input)
{
    const auto part = parts(input, 3);
    readHeader(bytesIn(part[0]));
    readAnswers(bytesIn(part[1]));
    auth::ServerMetadata server;
    server.issuer = kIssuer.toString();
    for (const bool names : {false, true}) {
        server.namesItself = names;
        const auto reply = auth::readReply(bytesIn(part[2]), QStringLiteral("/callback"),
                                           QStringLiteral("state"), server);
        check((reply.kind == auth::CodeReply::Code) == !reply.code.isEmpty());
    }
}

/// The parameters of a question, then what the user enters.
void forms(Bytes input)
{
    const auto part = parts(input, 2);
    const auto params = parsedJson(bytesIn(part[0]));
    if (!params)
        return;
    QString problem;
    const auto request = mcp::readInputRequest(*params, QStringLiteral("server"), problem);
    check(request.has_value() == problem.isEmpty());
    if (!request)
        return;
    if (request->isPage())
        check(auth::isSafe(request->page));
    checkForm(*request, QString::fromUtf8(bytesIn(part[1])));
}

} // namespace fireside::fuzz
