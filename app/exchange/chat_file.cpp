#include "app/exchange/chat_file.h"

#include "app/exchange/chat_archive.h"
#include "app/exchange/chat_formats.h"
#include "app/files/write_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <cerrno>
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

QList<ChatTree> readObject(const QJsonObject &json, QStringList &problems)
{
    if (json[QLatin1String("format")] == formats::kOwnFormat)
        return formats::readOwn(json, problems);
    if (json.contains(QLatin1String("mapping")))
        return {formats::readChatGpt(json)};
    if (json.contains(QLatin1String("chat")) || json.contains(QLatin1String("history")))
        return {formats::readOpenWebUi(json)};
    if (json.contains(QLatin1String("messages")))
        return {formats::readLmStudio(json)};
    throw ChatFileError(formats::Texts::tr("it holds no chats that are known here"));
}

QString titleIn(const QJsonObject &json)
{
    for (const char *key : {"title", "name"}) {
        if (const QString title = json[QLatin1String(key)].toString(); !title.isEmpty())
            return title;
    }
    return json[QLatin1String("chat")][QLatin1String("title")].toString();
}

/// The chats of one content; those that cannot be read go into `problems`.
QList<ChatTree> readContent(const QByteArray &json, QStringList &problems)
{
    const QJsonDocument document = parsed(json);
    if (!document.isArray())
        return readObject(document.object(), problems);
    QList<ChatTree> chats;
    qsizetype number = 0;
    const QJsonArray list = document.array();
    for (const QJsonValue &value : list) {
        ++number;
        try {
            if (!value.isObject())
                throw ChatFileError(formats::Texts::tr("it is not an object"));
            chats += readObject(value.toObject(), problems);
        } catch (const ChatFileError &error) {
            problems.append(formats::chatProblem(number, titleIn(value.toObject()), error.text()));
        }
    }
    return chats;
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
        // A line that is no JSON is an empty object, which is counted as lost.
        if (!line.trimmed().isEmpty())
            messages.append(QJsonDocument::fromJson(line).object());
    }
    return formats::readJan(thread, messages);
}

/// Every list of chats in the archive: one that is damaged does not keep the others out.
QList<ChatTree> readArchive(const QString &path, QStringList &problems)
{
    QList<ChatTree> chats;
    for (const formats::ArchivedChats &list : formats::chatsInArchive(path, kLargestFile)) {
        QStringList odd;
        try {
            if (!list.problem.isEmpty())
                throw ChatFileError(list.problem);
            chats += readContent(list.json, odd);
        } catch (const ChatFileError &error) {
            problems.append(
                formats::Texts::tr("%1 was not imported: %2").arg(list.name, error.text()));
        }
        for (const QString &problem : std::as_const(odd))
            problems.append(QStringLiteral("%1, %2").arg(list.name, problem));
    }
    return chats;
}

QList<ChatTree> readFile(const QString &path, QStringList &problems)
{
    const QFileInfo file(path);
    if (file.fileName() == QLatin1String("thread.json") ||
        file.suffix().compare(QLatin1String("jsonl"), Qt::CaseInsensitive) == 0)
        return {readJanFolder(file)};
    const QByteArray content = bytesIn(path);
    if (formats::isGpt4All(content))
        return {formats::readGpt4All(content)};
    return formats::isArchive(content) ? readArchive(path, problems)
                                       : readContent(content, problems);
}

} // namespace

QList<ChatTree> readChats(const QByteArray &json, QStringList *problems)
{
    QStringList odd;
    const QList<ChatTree> chats = readContent(json, odd);
    if (chats.isEmpty())
        throw ChatFileError(odd.value(0, formats::Texts::tr("it holds no chats")));
    if (problems)
        *problems = odd;
    return chats;
}

ReadChats readChatFiles(const QStringList &paths)
{
    ReadChats result;
    for (const QString &path : paths) {
        QStringList odd;
        try {
            const QList<ChatTree> chats = readFile(path, odd);
            if (chats.isEmpty() && odd.isEmpty())
                throw ChatFileError(formats::Texts::tr("it holds no chats"));
            result.chats += chats;
        } catch (const ChatFileError &error) {
            result.problems.append(formats::Texts::tr("“%1” was not imported: %2")
                                       .arg(QFileInfo(path).fileName(), error.text()));
        }
        for (const QString &problem : std::as_const(odd))
            result.problems.append(
                formats::Texts::tr("“%1”, %2").arg(QFileInfo(path).fileName(), problem));
    }
    if (result.chats.isEmpty())
        result.error = result.problems.value(0);
    return result;
}

QString writeChatFile(const QString &path, const QByteArray &content)
{
    // A file is put where the user chose, not into a folder that was removed meanwhile.
    if (!QFileInfo(path).absoluteDir().exists())
        return qt_error_string(ENOENT);
    return writeFile(path, content);
}

bool isCompletePdf(const QString &path)
{
    constexpr qint64 kTail = 64;
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly) ||
        !file.seek(std::max<qint64>(0, file.size() - kTail)))
        return false;
    return file.read(kTail).trimmed().endsWith("%%EOF");
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
