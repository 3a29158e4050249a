#include "app/hub/model_address.h"

#include "app/downloads/download_texts.h"
#include "app/downloads/safe_name.h"
#include "app/hub/hub_client.h"

#include <QRegularExpression>
#include <QStringList>

#include <optional>

namespace fireside {
namespace {

using Kind = ModelAddress::Kind;

ModelAddress wrong(const QString &why)
{
    ModelAddress address;
    address.kind = Kind::Wrong;
    address.text = why;
    return address;
}

/// "org/name" and what may follow it: ":Q4_K_M", or the rest of the address of a page or file.
std::optional<ModelAddress> readRepository(const QString &path)
{
    static const QRegularExpression withWish(QStringLiteral("^([^/:]+/[^/:]+):([^/]+)$"));
    ModelAddress address;
    address.kind = Kind::Repository;
    if (const auto match = withWish.match(path); match.hasMatch()) {
        address.repository = match.captured(1);
        address.wish = match.captured(2);
    } else {
        const QStringList parts = path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
        address.repository = QStringList(parts.mid(0, 2)).join(QLatin1Char('/'));
        const QString view = parts.value(2);
        // …/blob/main/FILE, …/resolve/main/FILE, …/tree/main/FOLDER
        if (view == QLatin1String("blob") || view == QLatin1String("resolve") ||
            view == QLatin1String("raw") || view == QLatin1String("tree"))
            address.wish = QStringList(parts.mid(4)).join(QLatin1Char('/'));
    }
    if (!isRepositoryName(address.repository))
        return std::nullopt;
    return address;
}

bool leadsToHub(const QUrl &url, const QUrl &hub)
{
    static const QStringList names{QStringLiteral("huggingface.co"), QStringLiteral("hf.co"),
                                   QStringLiteral("www.huggingface.co")};
    return names.contains(url.host()) || (url.host() == hub.host() && url.port() == hub.port() &&
                                          url.path().startsWith(hub.path()));
}

/// All parts of a split model lie beside each other.
QList<RemoteFile> filesAt(const QUrl &url)
{
    static const QRegularExpression part(QStringLiteral("-(\\d{5})-of-(\\d{5})\\.gguf$"),
                                         QRegularExpression::CaseInsensitiveOption);
    constexpr int kMostParts = 1000;
    const QString path = url.path();
    const QRegularExpressionMatch match = part.match(path);
    const int count = match.captured(2).toInt();
    QList<RemoteFile> files;
    if (!match.hasMatch() || count < 2 || count > kMostParts) {
        files.append({url, nameFromUrl(url), -1, {}});
        return files;
    }
    for (int number = 1; number <= count; ++number) {
        QUrl each = url;
        each.setPath(path.left(match.capturedStart(1)) +
                     QStringLiteral("%1").arg(number, 5, 10, QLatin1Char('0')) +
                     path.mid(match.capturedEnd(1)));
        files.append({each, nameFromUrl(each), -1, {}});
    }
    return files;
}

ModelAddress readUrl(const QUrl &url)
{
    if (!url.isValid() || url.host().isEmpty())
        return wrong(DownloadTexts::tr("this is no address"));
    if (!url.userInfo().isEmpty())
        return wrong(DownloadTexts::tr("addresses with a user's name or password are not used"));
    const QString name = nameFromUrl(url);
    if (!name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
        return wrong(DownloadTexts::tr("the address does not end in the name of a .gguf file"));
    ModelAddress address;
    address.kind = Kind::File;
    address.request.title = name;
    address.request.files = filesAt(url);
    if (const QString problem = nameProblem(address.request.files); !problem.isEmpty())
        return wrong(problem);
    return address;
}

} // namespace

ModelAddress readModelAddress(const QString &text, const QUrl &hub)
{
    static const QRegularExpression scheme(QStringLiteral("^([a-z][a-z0-9+.-]*)://"),
                                           QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression bareHub(QStringLiteral("^(www\\.)?(huggingface|hf)\\.co/"));
    QString words = text.simplified();
    if (bareHub.match(words).hasMatch())
        words.prepend(QLatin1String("https://"));
    if (const auto match = scheme.match(words); match.hasMatch()) {
        const QString name = match.captured(1).toLower();
        if (name != QLatin1String("http") && name != QLatin1String("https"))
            return wrong(DownloadTexts::tr("only https and http addresses can be used"));
        const QUrl url(words, QUrl::StrictMode);
        if (leadsToHub(url, hub)) {
            QString path = url.path();
            if (url.host() == hub.host() && path.startsWith(hub.path()))
                path.remove(0, hub.path().size());
            while (path.startsWith(QLatin1Char('/')))
                path.remove(0, 1);
            if (const auto repository = readRepository(path))
                return *repository;
        }
        return readUrl(url);
    }
    if (!words.contains(QLatin1Char(' ')) && words.count(QLatin1Char('/')) == 1) {
        if (const auto repository = readRepository(words))
            return *repository;
    }
    ModelAddress address;
    address.text = words;
    return address;
}

} // namespace fireside
