#include "app/remote/remote_server.h"

#include "app/remote/remote_texts.h"

#include <QHostAddress>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace fireside {
namespace {

const QLatin1String kScheme("server:");

/// A header's name (RFC 9110, 5.6.2).
bool isHeaderName(const QByteArray &name)
{
    static const QByteArray kMarks("!#$%&'*+-.^_`|~");
    return !name.isEmpty() && name.size() < 100 &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      kMarks.contains(c);
           });
}

/// Those that the connection itself is made of.
bool isReserved(const QByteArray &name)
{
    static constexpr std::array kReserved{
        "host",       "content-length",  "content-type", "transfer-encoding",
        "connection", "accept-encoding", "accept",       "cookie"};
    const QByteArray small = name.toLower();
    return std::any_of(kReserved.begin(), kReserved.end(),
                       [&](const char *reserved) { return small == reserved; });
}

bool isPrintable(const QByteArray &value)
{
    return value.size() < 4000 && std::all_of(value.begin(), value.end(), [](char c) {
               return (c >= ' ' && c < 127) || c == '\t';
           });
}

} // namespace

QString foreignWords(const QString &text, qsizetype longest)
{
    QString line = text.left(4 * longest).simplified();
    line.removeIf([](QChar c) { return !c.isPrint(); });
    return line.size() <= longest ? line : line.left(longest) + QChar(0x2026);
}

QString RemoteServer::host() const
{
    const QString host = address.host().contains(QLatin1Char(':'))
                             ? QLatin1Char('[') + address.host() + QLatin1Char(']')
                             : address.host();
    return address.port() < 0 ? host : QStringLiteral("%1:%2").arg(host).arg(address.port());
}

QString nameOf(ServerKind kind)
{
    switch (kind) {
    case ServerKind::Fireside:
        return QStringLiteral("Fireside");
    case ServerKind::Vllm:
        return QStringLiteral("vLLM");
    case ServerKind::Sglang:
        return QStringLiteral("SGLang");
    case ServerKind::LlamaCpp:
        return QStringLiteral("llama.cpp");
    case ServerKind::LmStudio:
        return QStringLiteral("LM Studio");
    case ServerKind::Ollama:
        return QStringLiteral("Ollama");
    case ServerKind::OpenRouter:
        return QStringLiteral("OpenRouter");
    case ServerKind::Unknown:
        break;
    }
    return {};
}

QString remotePath(const QString &server, const QString &model)
{
    return kScheme + server + QLatin1Char('/') + model;
}

RemotePath parseRemotePath(const QString &path)
{
    if (!path.startsWith(kScheme))
        return {};
    const qsizetype slash = path.indexOf(QLatin1Char('/'));
    if (slash < 0)
        return {};
    return {path.mid(kScheme.size(), slash - kScheme.size()), path.mid(slash + 1)};
}

QString shownName(const QString &model)
{
    static const QRegularExpression absolute(QStringLiteral("^(/|[A-Za-z]:[\\\\/])"));
    static const QRegularExpression folder(QStringLiteral("^.*[\\\\/]"));
    static const QLatin1String ending(".gguf");
    if (!absolute.match(model).hasMatch() || model.endsWith(u'/'))
        return model;
    const QString file = QString(model).remove(folder);
    return file.endsWith(ending) && file.size() > ending.size() ? file.chopped(ending.size())
                                                                : file;
}

QUrl usableAddress(const QString &text, QString *problem)
{
    QString typed = text.trimmed();
    const auto refuse = [&](const QString &why) {
        if (problem)
            *problem = why;
        return QUrl();
    };
    if (typed.isEmpty())
        return refuse(RemoteTexts::tr("an address is missing, such as http://localhost:8000"));
    if (!typed.contains(QLatin1String("://")))
        typed.prepend(QLatin1String("http://"));
    QUrl url(typed, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty() ||
        (url.scheme() != QLatin1String("https") && url.scheme() != QLatin1String("http")))
        return refuse(RemoteTexts::tr("this is no address of the form http://host:port or "
                                      "https://host/path"));
    if (!url.userInfo().isEmpty() || url.hasQuery() || url.hasFragment())
        return refuse(RemoteTexts::tr("an address may hold no password, “?” or “#”: a key has its "
                                      "own field"));
    QString path = url.path();
    for (const QLatin1String end : {QLatin1String("/"), QLatin1String("/chat/completions"),
                                    QLatin1String("/models"), QLatin1String("/completions")})
        while (path.endsWith(end) && !path.isEmpty())
            path.chop(end.size());
    url.setPath(path.isEmpty() ? QStringLiteral("/v1") : path);
    return url;
}

QUrl endpointOf(const QUrl &address, const QString &endpoint)
{
    QUrl url = address;
    url.setPath(address.path() + QLatin1Char('/') + endpoint);
    return url;
}

QUrl rootOf(const QUrl &address, const QString &path)
{
    QUrl url = address;
    QString base = address.path();
    if (base.endsWith(QLatin1String("/v1")))
        base.chop(3);
    url.setPath(base + path);
    return url;
}

bool isOpenToOthers(const QUrl &address)
{
    return address.scheme() != QLatin1String("https") &&
           address.host() != QLatin1String("localhost") &&
           !QHostAddress(address.host()).isLoopback();
}

QList<QPair<QByteArray, QByteArray>> parseHeaders(const QString &lines, QString *problem)
{
    constexpr qsizetype kMost = 20;
    QList<QPair<QByteArray, QByteArray>> headers;
    for (const QString &line : lines.split(QLatin1Char('\n'))) {
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype colon = line.indexOf(QLatin1Char(':'));
        const QByteArray name = line.left(colon).trimmed().toUtf8(),
                         value = line.mid(colon + 1).trimmed().toUtf8();
        if (colon < 1 || !isHeaderName(name) || !isPrintable(value))
            *problem = RemoteTexts::tr("“%1” is no header of the form “Name: value”")
                           .arg(foreignWords(line, 60));
        else if (isReserved(name))
            *problem = RemoteTexts::tr("the header “%1” is set by the connection itself")
                           .arg(QString::fromLatin1(name));
        else if (headers.size() >= kMost)
            *problem = RemoteTexts::tr("%1 headers at most can be set").arg(kMost);
        else
            headers.append({name, value});
    }
    return headers;
}

bool isKey(const QByteArray &key)
{
    return key.size() < 4000 &&
           std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 127; });
}

} // namespace fireside
