#include "app/remote/remote_servers.h"

#include "app/files/write_file.h"
#include "app/remote/remote_texts.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>
#include <array>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kMostServers = 100;
constexpr std::array<const char *, 4> kPlaces{"none", "keyring", "file", "session"};

QString pathOfFile(const char *name)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/") + QLatin1String(name);
}

QJsonObject storedIn(const QString &path, bool *damaged = nullptr)
{
    constexpr qint64 kLongest = 4 << 20;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QJsonDocument json = QJsonDocument::fromJson(file.read(kLongest));
    if (damaged)
        *damaged = !json.isObject();
    return json.object();
}

QString writeJson(const QString &path, const QJsonObject &json)
{
    return writeFile(path, QJsonDocument(json).toJson(), Readers::OwnerAlone);
}

QString keyFile()
{
    return pathOfFile("server-keys.json");
}

QString secretName(const QString &id)
{
    return QStringLiteral("server/") + id;
}

QJsonObject serverJson(const RemoteServer &server)
{
    QJsonArray headers;
    for (const auto &[name, value] : server.headers)
        headers.append(QString::fromUtf8(name) + QStringLiteral(": ") + QString::fromUtf8(value));
    return {{QStringLiteral("id"), server.id},
            {QStringLiteral("name"), server.name},
            {QStringLiteral("address"), server.address.toString()},
            {QStringLiteral("headers"), headers},
            {QStringLiteral("models"), QJsonArray::fromStringList(server.models)},
            {QStringLiteral("key"), QLatin1String(kPlaces[static_cast<std::size_t>(server.key)])}};
}

/// Nothing where it is none.
std::optional<RemoteServer> serverIn(const QJsonObject &json)
{
    RemoteServer server;
    server.id = json[QLatin1String("id")].toString();
    server.name = json[QLatin1String("name")].toString().left(200);
    server.address = usableAddress(json[QLatin1String("address")].toString());
    QStringList lines;
    for (const QJsonValue &line : json[QLatin1String("headers")].toArray())
        lines.append(line.toString());
    QString problem;
    server.headers = parseHeaders(lines.join(QLatin1Char('\n')), &problem);
    for (const QJsonValue &model : json[QLatin1String("models")].toArray())
        server.models.append(model.toString());
    const QString key = json[QLatin1String("key")].toString();
    for (std::size_t i = 0; i < kPlaces.size(); ++i)
        if (key == QLatin1String(kPlaces[i]))
            server.key = static_cast<KeyPlace>(i);
    const bool usable =
        !server.id.isEmpty() && !server.id.contains(QLatin1Char('/')) && server.address.isValid();
    return usable ? std::optional(server) : std::nullopt;
}

} // namespace

RemoteServers::RemoteServers(std::unique_ptr<SecretStore> secrets, QObject *parent)
    : QObject(parent)
    , m_secrets(std::move(secrets))
{
    read();
}

RemoteServers::~RemoteServers() = default;

void RemoteServers::read()
{
    bool damaged = false;
    const QString path = pathOfFile("servers.json");
    const QJsonObject json = storedIn(path, &damaged);
    if (damaged) { // set aside, never overwritten
        const QString aside = path + QStringLiteral(".damaged");
        QFile::remove(aside);
        QFile::rename(path, aside);
        m_problem = tr("The list of servers was damaged. It was set aside as %1.").arg(aside);
        return;
    }
    for (const QJsonValue &each : json[QLatin1String("servers")].toArray()) {
        const auto server = serverIn(each.toObject());
        if (server && m_servers.size() < kMostServers && !this->server(server->id))
            m_servers.append(*server);
    }
    m_fallsBack = json[QLatin1String("fallback")].toBool();
    m_localModel = json[QLatin1String("localModel")].toString();
}

void RemoteServers::write()
{
    QJsonArray servers;
    for (const RemoteServer &server : std::as_const(m_servers))
        servers.append(serverJson(server));
    const QString why =
        writeJson(pathOfFile("servers.json"), {{QStringLiteral("servers"), servers},
                                               {QStringLiteral("fallback"), m_fallsBack},
                                               {QStringLiteral("localModel"), m_localModel}});
    m_problem = why.isEmpty() ? QString() : tr("The list of servers cannot be stored: %1").arg(why);
}

std::optional<RemoteServer> RemoteServers::server(const QString &id) const
{
    const auto found = std::find_if(m_servers.begin(), m_servers.end(),
                                    [&](const RemoteServer &one) { return one.id == id; });
    return found == m_servers.end() ? std::nullopt : std::optional(*found);
}

void RemoteServers::fetchKey(const QString &id, Key answer)
{
    const auto known = server(id);
    QByteArray key = m_keys.value(id);
    if (key.isEmpty() && known && known->key == KeyPlace::File)
        key = storedIn(keyFile())[id].toString().toUtf8();
    const bool ask = key.isEmpty() && known && known->key == KeyPlace::Keyring;
    if (!ask) {
        const QString problem = key.isEmpty() && known && known->key != KeyPlace::None
                                    ? tr("its key is no longer known; enter it again in the "
                                         "settings")
                                    : QString();
        QMetaObject::invokeMethod(
            this, [answer = std::move(answer), key, problem] { answer(key, problem); },
            Qt::QueuedConnection);
        return;
    }
    m_secrets->read(secretName(id), [self = QPointer(this), id, answer = std::move(answer)](
                                        const QByteArray &secret, const QString &problem) {
        if (!self)
            return;
        const QByteArray found = isKey(secret) ? secret : QByteArray();
        if (!found.isEmpty())
            self->m_keys[id] = found;
        const QString why = !problem.isEmpty() ? tr("its key cannot be read: %1").arg(problem)
                            : found.isEmpty()  ? tr("its key is not in the keyring; enter it again "
                                                     "in the settings")
                                               : QString();
        answer(found, why);
    });
}

QString RemoteServers::store(RemoteServer server, const std::optional<QByteArray> &key)
{
    if (server.id.isEmpty())
        server.id = QUuid::createUuid().toString(QUuid::Id128).left(12);
    const KeyPlace before = this->server(server.id).value_or(RemoteServer{}).key;
    const auto done = [self = QPointer(this), server, before](const QString &problem) {
        if (!self)
            return;
        if (problem.isEmpty()) {
            if (before != server.key)
                self->dropKey(server.id, before);
            self->keep(server);
        }
        emit self->stored(server.id, problem);
    };
    const auto later = [this, done](const QString &problem) {
        QMetaObject::invokeMethod(
            this, [done, problem] { done(problem); }, Qt::QueuedConnection);
    };
    if (server.key == KeyPlace::None)
        m_keys.remove(server.id);
    if (server.key == KeyPlace::None || (!key && before == server.key)) {
        later({});
        return server.id;
    }
    if (key) {
        // Some answers come at once.
        QMetaObject::invokeMethod(
            this, [this, server, key = *key, done] { storeKey(server, key, done); },
            Qt::QueuedConnection);
        return server.id;
    }
    // The same key at another place.
    fetchKey(server.id, [this, server, done](const QByteArray &known, const QString &problem) {
        if (problem.isEmpty())
            storeKey(server, known, done);
        else
            done(problem);
    });
    return server.id;
}

void RemoteServers::storeKey(const RemoteServer &server, const QByteArray &key,
                             const std::function<void(const QString &)> &then)
{
    if (!isKey(key))
        return then(tr("a key consists of printable letters without spaces"));
    const auto known = [self = QPointer(this), id = server.id, key, then](const QString &problem) {
        if (self && problem.isEmpty())
            self->m_keys[id] = key;
        then(problem);
    };
    if (server.key == KeyPlace::Keyring)
        return m_secrets->write(secretName(server.id), key, known);
    if (server.key == KeyPlace::Session)
        return known({});
    QJsonObject keys = storedIn(keyFile());
    keys[server.id] = QString::fromLatin1(key);
    known(writeJson(keyFile(), keys));
}

void RemoteServers::dropKey(const QString &id, KeyPlace place)
{
    if (place == KeyPlace::Keyring)
        m_secrets->remove(secretName(id), [](const QString &) {});
    if (place != KeyPlace::File)
        return;
    QJsonObject keys = storedIn(keyFile());
    keys.remove(id);
    if (keys.isEmpty())
        QFile::remove(keyFile());
    else
        writeJson(keyFile(), keys);
}

void RemoteServers::keep(const RemoteServer &server)
{
    const auto known = std::find_if(m_servers.begin(), m_servers.end(),
                                    [&](const RemoteServer &one) { return one.id == server.id; });
    if (known == m_servers.end())
        m_servers.append(server);
    else
        *known = server;
    write();
    emit changed();
}

void RemoteServers::remove(const QString &id)
{
    const auto known = server(id);
    if (!known)
        return;
    dropKey(id, known->key);
    m_keys.remove(id);
    m_servers.removeIf([&](const RemoteServer &one) { return one.id == id; });
    write();
    emit changed();
}

void RemoteServers::follow(const RemoteServers &other)
{
    const auto take = [this, &other] {
        m_servers = other.m_servers;
        m_keys = other.m_keys;
        emit changed();
    };
    connect(&other, &RemoteServers::changed, this, take);
    take();
}

void RemoteServers::setFallsBack(bool fallsBack)
{
    if (std::exchange(m_fallsBack, fallsBack) == fallsBack)
        return;
    write();
    emit changed();
}

void RemoteServers::setLocalModel(const QString &path)
{
    if (std::exchange(m_localModel, path) == path)
        return;
    if (!m_servers.isEmpty() || QFile::exists(pathOfFile("servers.json")))
        write();
}

} // namespace fireside
