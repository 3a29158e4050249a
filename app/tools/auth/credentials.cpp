#include "app/tools/auth/credentials.h"

#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/challenge.h"
#include "app/tools/tool_json.h"

#include <QCryptographicHash>
#include <QPointer>

#include <utility>

namespace fireside::auth {
namespace {

std::string plain(const QString &text)
{
    return text.toStdString();
}

/// Names of secrets are shown by keyrings' programs: the host says what it is.
QString secretNameOf(const QString &server)
{
    const QByteArray hash =
        QCryptographicHash::hash(server.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
    return QStringLiteral("tools/%1/%2").arg(QUrl(server).host(), QString::fromLatin1(hash));
}

qint64 secondsIn(const ToolJson &json, const char *name)
{
    const ToolJson *const value = memberOf(json, name);
    return value && value->is_number_integer() ? value->get<qint64>() : 0;
}

} // namespace

QByteArray written(const Credentials &credentials)
{
    const auto &[server, issuer, client, tokens, asked, revocation, key] = credentials;
    return bytesOf({{"server", plain(server)},
                    {"issuer", plain(issuer)},
                    {"clientId", plain(client.id)},
                    {"clientSecret", plain(client.secret)},
                    {"method", plain(client.method)},
                    {"redirect", plain(client.redirect)},
                    {"clientExpires", client.expires},
                    {"access", tokens.access.toStdString()},
                    {"refresh", tokens.refresh.toStdString()},
                    {"expires", tokens.expires},
                    {"scopes", plain(tokens.scopes.join(QLatin1Char(' ')))},
                    {"asked", plain(asked.join(QLatin1Char(' ')))},
                    {"revocation", plain(revocation.endpoint)},
                    {"revocationMethod", plain(revocation.method)},
                    {"key", key.toStdString()}});
}

std::optional<Credentials> readCredentials(const QByteArray &text, const QString &server)
{
    const auto json = parsedJson(text);
    if (!json || textIn(*json, "server") != server || textIn(*json, "issuer").isEmpty())
        return std::nullopt;
    Credentials read{server, textIn(*json, "issuer"), {}, {}, {}, {}, {}};
    read.client = {textIn(*json, "clientId"),         textIn(*json, "clientSecret"),
                   textIn(*json, "method"),           textIn(*json, "redirect"),
                   secondsIn(*json, "clientExpires"), {}};
    read.tokens = {textIn(*json, "access").toLatin1(), textIn(*json, "refresh").toLatin1(),
                   secondsIn(*json, "expires"), scopesIn(textIn(*json, "scopes")),
                   !textIn(*json, "key").isEmpty()};
    read.key = textIn(*json, "key").toLatin1();
    read.asked = scopesIn(textIn(*json, "asked"));
    read.revocation = {textIn(*json, "revocation"), textIn(*json, "revocationMethod")};
    return read;
}

CredentialKeeper::CredentialKeeper(SecretStore *secrets, QObject *parent)
    : QObject(parent)
    , m_secrets(secrets)
{}

void CredentialKeeper::note(const QString &problem)
{
    if (std::exchange(m_problem, problem) != problem)
        emit problemChanged();
}

void CredentialKeeper::fetch(const QString &server, QObject *owner, Known answer)
{
    const auto tell = [this, server, owner = QPointer(owner), answer = std::move(answer)] {
        QMetaObject::invokeMethod(
            this,
            [this, server, owner, answer] {
                if (owner)
                    answer(m_known.value(server));
            },
            Qt::QueuedConnection);
    };
    if (m_known.contains(server) || !m_secrets)
        return tell();
    m_secrets->read(secretNameOf(server), [self = QPointer(this), server,
                                           tell](const QByteArray &secret, const QString &) {
        if (!self)
            return;
        if (!self->m_known.contains(server))
            self->m_known.insert(server, readCredentials(secret, server));
        tell();
    });
}

void CredentialKeeper::keep(const Credentials &credentials)
{
    m_known.insert(credentials.server, credentials);
    if (!m_secrets)
        return note(AuthTexts::tr("there is no keyring here"));
    m_secrets->write(secretNameOf(credentials.server), written(credentials),
                     [self = QPointer(this)](const QString &problem) {
                         if (self)
                             self->note(problem);
                     });
}

void CredentialKeeper::forget(const QString &server, Known last)
{
    const auto known = m_known.constFind(server);
    if (known != m_known.constEnd() || !m_secrets)
        last(known != m_known.constEnd() ? *known : std::nullopt);
    else // of an earlier run
        m_secrets->read(secretNameOf(server), [self = QPointer(this), server,
                                               last](const QByteArray &secret, const QString &) {
            if (self)
                last(readCredentials(secret, server));
        });
    m_known.insert(server, std::nullopt);
    if (m_secrets)
        m_secrets->remove(secretNameOf(server), [](const QString &) {});
}

} // namespace fireside::auth
