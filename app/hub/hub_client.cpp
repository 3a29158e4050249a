#include "app/hub/hub_client.h"

#include "app/downloads/safe_name.h"
#include "app/network/network_gate.h"
#include "app/network/transfer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QUrlQuery>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kLongestAnswer = 16 << 20;
constexpr qsizetype kMostFiles = 20'000;
constexpr int kMostFound = 50;

bool isHex(const QString &text, qsizetype digits)
{
    static const QRegularExpression hex(QStringLiteral("^[0-9a-f]+$"));
    return text.size() == digits && hex.match(text).hasMatch();
}

qint64 toCount(const QJsonValue &value)
{
    constexpr double kMost = 9e15;
    const double number = value.toDouble(-1);
    return number >= 0 && number < kMost ? static_cast<qint64>(number) : -1;
}

/// Large files are LFS objects, whose digest is the content's; the others' is git's.
std::optional<HubFile> fileOf(const QJsonObject &json)
{
    if (json[QLatin1String("type")].toString() != QLatin1String("file"))
        return std::nullopt;
    HubFile file;
    file.path = json[QLatin1String("path")].toString();
    const QJsonObject lfs = json[QLatin1String("lfs")].toObject();
    const QString oid = (lfs.isEmpty() ? json : lfs)[QLatin1String("oid")].toString();
    file.bytes = toCount((lfs.isEmpty() ? json : lfs)[QLatin1String("size")]);
    if (!lfs.isEmpty() && isHex(oid, 64))
        file.digest = {ExpectedDigest::Kind::Sha256, oid.toLatin1()};
    else if (lfs.isEmpty() && isHex(oid, 40))
        file.digest = {ExpectedDigest::Kind::GitBlob, oid.toLatin1()};
    if (file.path.isEmpty() || file.bytes < 0)
        return std::nullopt;
    return file;
}

/// A short plain text of a page that anybody can edit.
QString shortText(const QJsonValue &value)
{
    constexpr qsizetype kLetters = 60;
    QString text = value.toString().simplified().left(kLetters);
    text.removeIf([](QChar c) { return !c.isPrint(); });
    return text;
}

QString licenseOf(const QJsonValue &tags)
{
    const QString start = QStringLiteral("license:");
    for (const QJsonValue &tag : tags.toArray()) {
        if (tag.toString().startsWith(start))
            return shortText(tag.toString().mid(start.size()));
    }
    return {};
}

qint64 parametersOf(const QJsonValue &about)
{
    const qint64 gguf = toCount(about[QLatin1String("gguf")][QLatin1String("total")]);
    const qint64 folder = toCount(about[QLatin1String("safetensors")][QLatin1String("total")]);
    return std::max<qint64>(0, gguf > 0 ? gguf : folder);
}

bool isGated(const QJsonValue &value) // false, "auto" or "manual"
{
    return value.isString() || value.toBool();
}

} // namespace

bool isRepositoryName(const QString &name)
{
    static const QRegularExpression form(
        QStringLiteral("^[A-Za-z0-9][\\w.-]{0,95}/[A-Za-z0-9][\\w.-]{0,95}$"));
    return form.match(name).hasMatch() && isSafeName(name);
}

HubClient::HubClient(NetworkGate &gate, QUrl address, QByteArray token, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_address(std::move(address))
    , m_token(std::move(token))
{}

HubClient::~HubClient() = default;

void HubClient::setAccess(const QUrl &address, const QByteArray &token)
{
    cancel();
    m_address = address;
    m_token = token;
}

QUrl HubClient::at(const QString &path) const
{
    QUrl url = m_address;
    QString base = url.path();
    while (base.endsWith(QLatin1Char('/')))
        base.chop(1);
    url.setPath(base + path);
    return url;
}

void HubClient::cancel()
{
    if (!m_transfer)
        return;
    disconnect(m_transfer.get(), nullptr, this, nullptr);
    m_transfer->cancel();
    m_transfer.release()->deleteLater(); // it may be what is calling
}

void HubClient::end(const QString &problem)
{
    cancel();
    emit failed(problem);
}

void HubClient::ask(QUrl url, const QString &purpose, Answer answer)
{
    cancel();
    m_body.clear();
    m_next.clear();
    TransferRequest request;
    request.url = url;
    request.purpose = purpose;
    request.token = m_token;
    request.packed = true;
    m_transfer = std::make_unique<Transfer>(m_gate, request);
    connect(m_transfer.get(), &Transfer::headArrived, this,
            [this](const ReplyHead &head) { m_next = head.next; });
    connect(m_transfer.get(), &Transfer::dataArrived, this, [this](const QByteArray &data) {
        m_body += data;
        if (m_body.size() > kLongestAnswer)
            end(tr("the server's answer does not end"));
    });
    connect(m_transfer.get(), &Transfer::failed, this,
            [this](const TransferFailure &failure) { end(failure.text); });
    connect(m_transfer.get(), &Transfer::finished, this, [this, answer] {
        const QJsonDocument json = QJsonDocument::fromJson(m_body);
        cancel();
        if (json.isNull())
            return end(tr("the server does not answer as Hugging Face does"));
        answer(json, m_next);
    });
    m_transfer->start();
}

void HubClient::search(const QString &words, bool anyFormat)
{
    QUrl url = at(QStringLiteral("/api/models"));
    QUrlQuery query;
    query.addQueryItem(QStringLiteral("search"),
                       QString::fromLatin1(QUrl::toPercentEncoding(words.simplified())));
    query.addQueryItem(QStringLiteral("filter"),
                       anyFormat ? QStringLiteral("text-generation") : QStringLiteral("gguf"));
    query.addQueryItem(QStringLiteral("sort"), QStringLiteral("downloads"));
    query.addQueryItem(QStringLiteral("direction"), QStringLiteral("-1"));
    query.addQueryItem(QStringLiteral("limit"), QString::number(kMostFound));
    for (const char *field :
         {"downloads", "likes", "gated", "lastModified", "tags", "gguf", "safetensors"})
        query.addQueryItem(QStringLiteral("expand"), QLatin1String(field));
    url.setQuery(query);
    ask(url, tr("search for models"), [this](const QJsonDocument &json, const QUrl &) {
        QList<HubRepository> repositories;
        for (const QJsonValue &each : json.array()) {
            HubRepository repository;
            repository.id = each[QLatin1String("id")].toString();
            repository.downloads = toCount(each[QLatin1String("downloads")]);
            repository.likes = toCount(each[QLatin1String("likes")]);
            repository.modified = QDateTime::fromString(
                each[QLatin1String("lastModified")].toString(), Qt::ISODateWithMs);
            repository.gated = isGated(each[QLatin1String("gated")]);
            repository.license = licenseOf(each[QLatin1String("tags")]);
            repository.parameters = parametersOf(each);
            if (isRepositoryName(repository.id) && repositories.size() < kMostFound)
                repositories.append(repository);
        }
        emit found(repositories);
    });
}

void HubClient::list(const QString &repository)
{
    m_listing = {};
    m_listing.repository = repository;
    m_files.clear();
    if (!isRepositoryName(repository))
        return end(tr("“%1” is no repository's name").arg(repository.left(100)));
    const QUrl about = at(QStringLiteral("/api/models/") + repository);
    ask(about, tr("files of %1").arg(repository), [this](const QJsonDocument &json, const QUrl &) {
        m_listing.gated = isGated(json[QLatin1String("gated")]);
        m_listing.license = licenseOf(json[QLatin1String("tags")]);
        m_listing.parameters = parametersOf(json.object());
        const QJsonValue gguf = json[QLatin1String("gguf")];
        m_listing.architecture = shortText(gguf[QLatin1String("architecture")]);
        m_listing.contextTrained = static_cast<int>(
            std::clamp<qint64>(toCount(gguf[QLatin1String("context_length")]), 0, 1 << 30));
        m_listing.revision = json[QLatin1String("sha")].toString();
        if (!isHex(m_listing.revision, 40))
            return end(tr("the server does not answer as Hugging Face does"));
        QUrl url = at(
            QStringLiteral("/api/models/%1/tree/%2").arg(m_listing.repository, m_listing.revision));
        url.setQuery(QStringLiteral("recursive=true"));
        listFiles(url);
    });
}

/// Page by page.
void HubClient::listFiles(const QUrl &url)
{
    ask(url, tr("files of %1").arg(m_listing.repository),
        [this](const QJsonDocument &json, const QUrl &next) {
            const qsizetype before = m_files.size();
            for (const QJsonValue &each : json.array()) {
                if (const auto file = fileOf(each.toObject()))
                    m_files.append(*file);
            }
            if (m_files.size() > kMostFiles)
                return end(tr("the repository has too many files"));
            const bool same = next.host() == m_address.host() && next.port() == m_address.port() &&
                              next.scheme() == m_address.scheme();
            if (same && m_files.size() > before)
                return listFiles(next);
            m_listing.models = modelsAmong(m_files);
            emit listed(m_listing);
        });
}

DownloadRequest HubClient::requestFor(const HubListing &listing, const HubModel &model,
                                      const QString &folder, bool withProjector) const
{
    DownloadRequest request;
    request.title = model.name.isEmpty() ? listing.repository
                                         : listing.repository + QStringLiteral(": ") + model.name;
    request.folder = folder + QLatin1Char('/') + listing.repository;
    QList<HubFile> files = model.files;
    if (withProjector && model.projector)
        files.append(*model.projector);
    for (const HubFile &file : std::as_const(files)) {
        const QUrl url = at(QStringLiteral("/%1/resolve/%2/%3")
                                .arg(listing.repository, listing.revision, file.path));
        request.files.append({url, file.path, file.bytes, file.digest});
    }
    return request;
}

} // namespace fireside
