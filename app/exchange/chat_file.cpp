#include "app/exchange/chat_file.h"

#include "app/exchange/chat_archive.h"
#include "app/exchange/chat_formats.h"
#include "app/files/write_file.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <utility>

namespace fireside {
namespace {

constexpr qint64 kLargestFile = qint64(1) << 30; // bytes
constexpr qsizetype kNameLength = 80;

QJsonDocument parsed(const QByteArray &json)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error != QJsonParseError::NoError)
        throw ChatFileError(formats::Texts::tr("it is not whole JSON (%1 at byte %2)")
                                .arg(error.errorString())
                                .arg(error.offset));
    return document;
}

QList<ChatTree> readObject(const QJsonObject &json)
{
    if (json[QLatin1String("format")] == formats::kOwnFormat)
        return formats::readOwn(json);
    if (json.contains(QLatin1String("mapping")))
        return {formats::readChatGpt(json)};
    if (json.contains(QLatin1String("chat")) || json.contains(QLatin1String("history")))
        return {formats::readOpenWebUi(json)};
    if (json.contains(QLatin1String("messages")))
        return {formats::readLmStudio(json)};
    throw ChatFileError(formats::Texts::tr("it holds no chats that are known here"));
}

QByteArray bytesIn(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw ChatFileError(file.errorString());
    if (file.size() > kLargestFile)
        throw ChatFileError(formats::Texts::tr("it is too large (%1 bytes)").arg(file.size()));
    return file.readAll();
}

ChatTree readJanFolder(const QFileInfo &file)
{
    const QString folder = file.absolutePath() + QLatin1Char('/');
    QJsonObject thread;
    if (QFile::exists(folder + QLatin1String("thread.json")))
        thread = parsed(bytesIn(folder + QLatin1String("thread.json"))).object();
    QList<QJsonObject> messages;
    for (const QByteArray &line : bytesIn(folder + QLatin1String("messages.jsonl")).split('\n')) {
        if (!line.trimmed().isEmpty())
            messages.append(parsed(line).object());
    }
    return formats::readJan(thread, messages);
}

QList<ChatTree> readFile(const QString &path)
{
    const QFileInfo file(path);
    if (file.fileName() == QLatin1String("thread.json") ||
        file.suffix().compare(QLatin1String("jsonl"), Qt::CaseInsensitive) == 0)
        return {readJanFolder(file)};
    const QByteArray content = bytesIn(path);
    if (formats::isGpt4All(content))
        return {formats::readGpt4All(content)};
    if (!formats::isArchive(content))
        return readChats(content);
    QList<ChatTree> chats;
    for (const QByteArray &list : formats::chatsInArchive(path, kLargestFile))
        chats += readChats(list);
    return chats;
}

} // namespace

QList<ChatTree> readChats(const QByteArray &json)
{
    const QJsonDocument document = parsed(json);
    if (!document.isArray())
        return readObject(document.object());
    QList<ChatTree> chats;
    const QJsonArray list = document.array();
    for (const QJsonValue &value : list) {
        if (!value.isObject())
            throw ChatFileError(formats::Texts::tr("chat %1 is no object").arg(chats.size() + 1));
        chats += readObject(value.toObject());
    }
    if (chats.isEmpty())
        throw ChatFileError(formats::Texts::tr("it holds no chats"));
    return chats;
}

ReadChats readChatFiles(const QStringList &paths)
{
    ReadChats result;
    for (const QString &path : paths) {
        try {
            result.chats += readFile(path);
        } catch (const ChatFileError &error) {
            return {{},
                    formats::Texts::tr("“%1” was not imported: %2")
                        .arg(QFileInfo(path).fileName(), error.text())};
        }
    }
    return result;
}

QString writeChatFile(const QString &path, const QByteArray &content)
{
    return writeFile(path, content);
}

QString chatFileName(const QString &title, const QString &suffix)
{
    QString name;
    for (const QChar c : title.simplified().left(kNameLength))
        name += c.isPrint() && !QStringView(u"/\\:*?\"<>|").contains(c) ? c : QLatin1Char('_');
    while (name.startsWith(QLatin1Char('.')))
        name.remove(0, 1);
    return (name.trimmed().isEmpty() ? formats::Texts::tr("Chat") : name.trimmed()) +
           QLatin1Char('.') + suffix;
}

} // namespace fireside
