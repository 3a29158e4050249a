#pragma once
#include <QByteArray>
#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace fireside {

/// Where the key of a server is kept.
enum class KeyPlace {
    None,
    Keyring, // the desktop's (Secret Service, KWallet)
    File,    // that only its owner reads
    Session, // until the program ends
};

/// A server elsewhere that answers as OpenAI's interface does.
struct RemoteServer
{
    QString id;                                     // made by the program, for ever
    QString name;                                   // as the user calls it; empty: the address
    QUrl address;                                   // "http://gpu:8000/v1"
    QList<QPair<QByteArray, QByteArray>> headers{}; // sent with each request
    QStringList models{};                           // asked for although the server lists none
    KeyPlace key = KeyPlace::None;
    bool operator==(const RemoteServer &) const = default;
    QString title() const { return name.isEmpty() ? host() : name; }
    QString host() const; // "gpu:8000"
};

/// What a server is, as far as its answers tell; decides which settings it is told beyond those of
/// the interface itself.
enum class ServerKind { Unknown, Fireside, Vllm, Sglang, LlamaCpp, LmStudio, Ollama, OpenRouter };
QString nameOf(ServerKind kind); // "vLLM"; empty: unknown

/// A model that a server offers.
struct OfferedModel
{
    QString name;
    int context = 0; // tokens; 0: the server does not say
    ServerKind kind = ServerKind::Unknown;
    int parallel{}; // replies that it writes at once; 0: the server does not say
    bool operator==(const OfferedModel &) const = default;
};

/// Models elsewhere have a path, too: "server:ID/name". Empty parts: it is the path of a file.
struct RemotePath
{
    QString server, model;
    bool isRemote() const { return !server.isEmpty() && !model.isEmpty(); }
};
QString remotePath(const QString &server, const QString &model);
RemotePath parseRemotePath(const QString &path);
/// What to call a model whose server names the file on its disk: the file's name. Others as they
/// are.
QString shownName(const QString &model);

/// The address as it is used: without what users copy along (a slash, /chat/completions), with /v1
/// where it names a host alone. Invalid, with a clause in `problem`, where it is none.
QUrl usableAddress(const QString &text, QString *problem = nullptr);
/// endpoint: "chat/completions".
QUrl endpointOf(const QUrl &address, const QString &endpoint);
/// Beside the interface: "/props" of llama.cpp.
QUrl rootOf(const QUrl &address, const QString &path);
/// Whether what is sent there leaves this computer in clear text.
bool isOpenToOthers(const QUrl &address);
/// "Name: value" by lines; a clause in `problem` for what is none or may not be set.
QList<QPair<QByteArray, QByteArray>> parseHeaders(const QString &lines, QString *problem);
/// What a key may consist of.
bool isKey(const QByteArray &key);

} // namespace fireside
