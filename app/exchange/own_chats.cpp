// Fireside's own format: all that is stored of a chat.
#include "app/exchange/chat_file.h"
#include "app/exchange/chat_formats.h"
#include "app/tools/tool_memory.h"

#include <QJsonDocument>

#include <algorithm>

namespace fireside {
namespace {

const QLatin1String kStateNames[] = {QLatin1String("complete"), QLatin1String("streaming"),
                                     QLatin1String("stopped"), QLatin1String("failed"),
                                     QLatin1String("interrupted")};

QString stored(const QDateTime &moment)
{
    return moment.toUTC().toString(Qt::ISODateWithMs);
}

QDateTime restored(const QJsonValue &value)
{
    const QDateTime moment = QDateTime::fromString(value.toString(), Qt::ISODateWithMs);
    if (!moment.isValid())
        throw ChatFileError(formats::Texts::tr("“%1” is no time").arg(value.toString()));
    return moment;
}

QJsonObject toJson(const Message &message)
{
    return {{QStringLiteral("parent"), message.parentId},
            {QStringLiteral("role"), message.role},
            {QStringLiteral("text"), message.text},
            {QStringLiteral("created"), stored(message.created)},
            {QStringLiteral("state"), kStateNames[int(message.state)]},
            {QStringLiteral("error"), message.error},
            {QStringLiteral("record"), message.record}};
}

Message readMessage(const QJsonValue &value, qint64 id)
{
    const QJsonObject json = value.toObject();
    Message message;
    message.id = id;
    message.parentId = json[QLatin1String("parent")].toInteger(-1);
    message.role = json[QLatin1String("role")].toString();
    const bool known = formats::roleOf(message.role) || message.role == QLatin1String("tool");
    const auto *state = std::find(std::begin(kStateNames), std::end(kStateNames),
                                  json[QLatin1String("state")].toString());
    if (message.parentId < 0 || message.parentId >= id || !known ||
        state == std::end(kStateNames) || !json[QLatin1String("text")].isString())
        throw ChatFileError(formats::Texts::tr("message %1 is damaged").arg(id));
    message.text = json[QLatin1String("text")].toString();
    message.created = restored(json[QLatin1String("created")]);
    message.state = Message::State(state - kStateNames);
    message.error = json[QLatin1String("error")].toString();
    message.record = json[QLatin1String("record")].toObject();
    return message;
}

ChatTree readChat(const QJsonValue &value)
{
    const QJsonObject json = value.toObject();
    ChatTree chat;
    chat.title = json[QLatin1String("title")].toString();
    chat.named = json[QLatin1String("named")].toBool();
    chat.pinned = json[QLatin1String("pinned")].toBool();
    chat.folder = json[QLatin1String("folder")].toString();
    chat.created = restored(json[QLatin1String("created")]);
    chat.updated = restored(json[QLatin1String("updated")]);
    chat.draft = json[QLatin1String("draft")].toString();
    chat.sampling = json[QLatin1String("sampling")].toObject();
    // What may run unasked is not for a file to say.
    ChatTools tools = chatToolsFrom(json[QLatin1String("tools")].toObject());
    tools.allowed.clear();
    chat.tools = fireside::toJson(tools);
    for (const QJsonValue &message : formats::listIn(json, "messages"))
        chat.messages.append(readMessage(message, chat.messages.size() + 1));
    chat.currentLeaf = json[QLatin1String("current")].toInteger(-1);
    if (chat.currentLeaf < 0 || chat.currentLeaf > chat.messages.size())
        throw ChatFileError(formats::Texts::tr("the message in view is missing"));
    return chat;
}

} // namespace

QByteArray toJson(const QList<ChatTree> &chats)
{
    QJsonArray list;
    for (const ChatTree &chat : chats) {
        QJsonArray messages;
        for (const Message &message : chat.messages)
            messages.append(toJson(message));
        list.append(QJsonObject{{QStringLiteral("title"), chat.title},
                                {QStringLiteral("named"), chat.named},
                                {QStringLiteral("pinned"), chat.pinned},
                                {QStringLiteral("folder"), chat.folder},
                                {QStringLiteral("created"), stored(chat.created)},
                                {QStringLiteral("updated"), stored(chat.updated)},
                                {QStringLiteral("draft"), chat.draft},
                                {QStringLiteral("sampling"), chat.sampling},
                                {QStringLiteral("tools"), chat.tools},
                                {QStringLiteral("current"), chat.currentLeaf},
                                {QStringLiteral("messages"), messages}});
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("format"), formats::kOwnFormat},
                                     {QStringLiteral("version"), formats::kOwnVersion},
                                     {QStringLiteral("chats"), list}})
        .toJson();
}

QString formats::chatProblem(qsizetype number, const QString &title, const QString &problem)
{
    constexpr qsizetype kTitleLength = 60;
    const QString name = title.simplified().left(kTitleLength);
    return name.isEmpty()
               ? Texts::tr("chat %1 was not imported: %2").arg(QString::number(number), problem)
               : Texts::tr("chat %1 (“%2”) was not imported: %3")
                     .arg(QString::number(number), name, problem);
}

QList<ChatTree> formats::readOwn(const QJsonObject &file, QStringList &problems)
{
    if (file[QLatin1String("version")].toInt() != kOwnVersion)
        throw ChatFileError(Texts::tr("it was written by a newer program"));
    QList<ChatTree> chats;
    qsizetype number = 0;
    for (const QJsonValue &chat : listIn(file, "chats")) {
        ++number;
        try {
            chats.append(readChat(chat));
        } catch (const ChatFileError &error) {
            problems.append(
                chatProblem(number, chat[QLatin1String("title")].toString(), error.text()));
        }
    }
    return chats;
}

} // namespace fireside
