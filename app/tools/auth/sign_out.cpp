#include "app/tools/auth/sign_out.h"

#include "app/tools/auth/addresses.h"
#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/credentials.h"
#include "app/tools/auth/question.h"

namespace fireside::auth {
namespace {

/// Each by itself: not every server ends the others of a sign-in with one.
void revoke(NetworkGate &gate, const Credentials &had, QObject &owner, const QString &purpose)
{
    const QUrl endpoint(had.revocation.endpoint, QUrl::StrictMode);
    if (endpoint.isEmpty() || !problemOf(endpoint, QUrl(had.server)).isEmpty())
        return;
    AuthClient client = had.client;
    client.method = had.revocation.method;
    if (client.method == QLatin1String("private_key_jwt") && client.key.isEmpty())
        return; // of an earlier run: the file with the key may have changed
    ServerMetadata server;
    server.issuer = had.issuer;
    for (const auto &[token, kind] : {std::pair(had.tokens.refresh, "refresh_token"),
                                      std::pair(had.tokens.access, "access_token")})
        if (!token.isEmpty())
            ask(gate,
                formRequest(
                    endpoint, purpose,
                    tokenRequest(revocationForm(token, QLatin1String(kind)), client, server)),
                &owner, [](const Reply &) {});
}

} // namespace

void signOut(NetworkGate &gate, CredentialKeeper &keeper, const QString &server,
             const QString &name)
{
    const QString purpose = AuthTexts::tr("sign-out from tools of %1").arg(name);
    keeper.forget(server, [&gate, &keeper, purpose](const std::optional<Credentials> &had) {
        if (had)
            revoke(gate, *had, keeper, purpose);
    });
}

} // namespace fireside::auth
