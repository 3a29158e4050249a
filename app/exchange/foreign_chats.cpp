// Chats of other programs. LM Studio: ~/.lmstudio/conversations/*.conversation.json. Jan: the
// folder of a thread. Open WebUI: "Export chats". ChatGPT: conversations.json of "Export data".
#include "app/exchange/chat_formats.h"

#include <QHash>
#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace fireside::formats {
namespace {

constexpr double kMilliseconds = 1e11; // above it a number of seconds would be after the year 5000

QJsonObject objectOf(const QJsonValue &value, const QString &what)
{
    if (!value.isObject())
        throw ChatFileError(Texts::tr("%1 is no object").arg(what));
    return value.toObject();
}

void setModel(Message &message, const QString &model)
{
    if (!model.isEmpty() && message.role == QLatin1String("assistant"))
        message.record[QLatin1String("model")] = model;
}

QStringList namesIn(const QJsonValue &list)
{
    QStringList names;
    for (const QJsonValue &name : list.toArray())
        names.append(name.toString());
    return names;
}

void setSystemPrompt(ChatTree &chat, const QString &prompt)
{
    if (!prompt.isEmpty())
        chat.sampling[QLatin1String("systemPrompt")] = prompt;
}

void append(QString &whole, const QString &part, const char *between = "\n\n")
{
    if (!part.isEmpty())
        whole += (whole.isEmpty() ? QString() : QLatin1String(between)) + part;
}

/// The parts of a message that are not its words: pictures, sounds, files.
int filesIn(const QJsonValue &content)
{
    static const QRegularExpression kinds(
        QStringLiteral("image|picture|audio|video|file|document|asset"));
    const QJsonArray parts = content.toArray();
    return static_cast<int>(std::count_if(parts.begin(), parts.end(), [](const QJsonValue &part) {
        const QString kind =
            part[QLatin1String("type")].toString(part[QLatin1String("content_type")].toString());
        return kind.contains(kinds);
    }));
}

/// A message of a person or a model that says nothing is lost, unless it stood for a file.
bool isLost(const KeyedMessage &one, int files)
{
    return one.shown && files == 0 && one.message.text.trimmed().isEmpty() &&
           one.message.role == QLatin1String("user");
}

/// Pictures lie among the parts, other files in a list beside them, which may name pictures again.
int chatGptFiles(const QJsonObject &content, const QJsonObject &facts)
{
    const QJsonArray parts = content[QLatin1String("parts")].toArray();
    QString pointers;
    for (const QJsonValue &part : parts) {
        pointers += part[QLatin1String("asset_pointer")].toString();
        pointers +=
            part[QLatin1String("audio_asset_pointer")][QLatin1String("asset_pointer")].toString();
    }
    int files = filesIn(parts);
    for (const QJsonValue &file : facts[QLatin1String("attachments")].toArray()) {
        const QString id = file[QLatin1String("id")].toString();
        files += id.isEmpty() || !pointers.contains(id) ? 1 : 0;
    }
    return files;
}

/// The text of a list of {"type": "text", "text": …}; `inner` where the text is an object itself.
QString textOf(const QJsonValue &content, const char *inner = nullptr)
{
    if (content.isString())
        return content.toString();
    QString whole;
    for (const QJsonValue &part : content.toArray()) {
        const QJsonObject json = part.toObject();
        const QJsonValue value = json[QLatin1String("text")];
        if (json[QLatin1String("type")] != QLatin1String("text"))
            continue;
        append(whole, inner && value.isObject() ? value[QLatin1String(inner)].toString()
                                                : value.toString());
    }
    return whole;
}

/// LM Studio splits a text where drafts of another model begin and end, and marks the pieces that
/// are its template's words, such as "<think>".
QString piecesOf(const QJsonValue &content)
{
    QString whole;
    for (const QJsonValue &piece : content.toArray()) {
        if (piece[QLatin1String("type")] == QLatin1String("text") &&
            !piece[QLatin1String("isStructural")].toBool())
            whole += piece[QLatin1String("text")].toString();
    }
    return whole;
}

/// What the model thought becomes what models of ours write.
QString thoughts(const QString &thought)
{
    return thought.isEmpty() ? QString()
                             : QStringLiteral("<think>\n%1\n</think>").arg(thought.trimmed());
}

/// Open WebUI writes thoughts into the text: folded in HTML, quoted, and since 2026 escaped.
QString withThoughts(const QString &text)
{
    static const QRegularExpression folded(
        QStringLiteral("<details type=\"reasoning\"[^>]*>\\s*<summary>[^<]*</summary>\\s*"
                       "(.*?)\\s*</details>\\s*"),
        QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression quoted(QStringLiteral("^(?:>|&gt;) ?"),
                                           QRegularExpression::MultilineOption);
    QString whole;
    qsizetype at = 0;
    for (auto found = folded.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        QString thought = match.captured(1);
        thought.remove(quoted);
        for (const auto &[mark, sign] :
             {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""),
              std::pair("&#x27;", "'"), std::pair("&amp;", "&")})
            thought.replace(QLatin1String(mark), QLatin1String(sign));
        whole += text.mid(at, match.capturedStart() - at) + thoughts(thought) + QLatin1Char('\n');
        at = match.capturedEnd();
    }
    return whole + text.mid(at);
}

Message lmStudioVersion(const QJsonObject &version, const QDateTime &created)
{
    Message message;
    message.role = version[QLatin1String("role")].toString();
    message.created = created;
    QString model = version[QLatin1String("senderInfo")][QLatin1String("senderName")].toString();
    if (version[QLatin1String("type")] != QLatin1String("multiStep")) {
        message.text = textOf(version[QLatin1String("content")]);
    } else {
        for (const QJsonValue &value : listIn(version, "steps")) {
            const QJsonObject step = value.toObject();
            if (step[QLatin1String("type")] != QLatin1String("contentBlock"))
                continue;
            const QString said = piecesOf(step[QLatin1String("content")]);
            const bool thought =
                step[QLatin1String("style")][QLatin1String("type")] == QLatin1String("thinking");
            append(message.text, thought ? thoughts(said) : said);
            const QString used =
                step[QLatin1String("genInfo")][QLatin1String("identifier")].toString();
            model = used.isEmpty() ? model : used;
        }
    }
    setModel(message, model);
    return message;
}

/// Versions of one message have the same parent.
void addLmStudioVersion(ChatTree &chat, QList<KeyedMessage> &messages, const QJsonObject &version,
                        const QString &parent, const QString &model)
{
    KeyedMessage one{QString::number(messages.size()), parent, true,
                     lmStudioVersion(version, chat.created)};
    if (!one.message.record.contains(QLatin1String("model")))
        setModel(one.message, model);
    one.shown = roleOf(one.message.role).has_value();
    const int files = filesIn(version[QLatin1String("content")]);
    chat.lostFiles += files;
    chat.lostMessages += isLost(one, files) ? 1 : 0;
    messages.append(one);
}

/// ChatGPT's own marks stand between characters of the private use area: sources, pictures, and
/// names of things, which alone are words of the reply. Older ones are 【1†source】.
QString withoutCitations(const QString &text)
{
    static const QRegularExpression marks(QStringLiteral(
        " ?\uE200([a-z_]*)\uE202?([^\uE200\uE201]*)\uE201| ?【\\d[^】]{0,200}†[^】]{0,200}】"));
    QString whole;
    qsizetype at = 0;
    for (auto found = marks.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        whole += text.mid(at, match.capturedStart() - at);
        at = match.capturedEnd();
        if (match.captured(1) != QLatin1String("entity"))
            continue;
        if (match.captured().startsWith(QLatin1Char(' ')))
            whole += QLatin1Char(' ');
        whole += QJsonDocument::fromJson(match.captured(2).toUtf8())[1].toString();
    }
    return whole + text.mid(at);
}

QString chatGptThoughts(const QJsonObject &content)
{
    QString whole;
    for (const QJsonValue &thought : content[QLatin1String("thoughts")].toArray())
        append(whole, thought[QLatin1String("content")].toString());
    return thoughts(whole);
}

/// Thoughts are messages of their own, above the reply that they led to.
void joinThoughts(QList<KeyedMessage> &messages, const QHash<QString, QString> &thoughts)
{
    constexpr int kFurthest = 64; // messages of tools in between
    QHash<QString, qsizetype> places;
    for (qsizetype i = 0; i < messages.size(); ++i)
        places.insert(messages[i].key, i);
    for (KeyedMessage &reply : messages) {
        if (!reply.shown || reply.message.role != QLatin1String("assistant"))
            continue;
        QString above = reply.parent;
        for (int step = 0; step < kFurthest; ++step) {
            const qsizetype place = places.value(above, -1);
            if (place < 0 || messages[place].shown)
                break;
            if (const QString thought = thoughts.value(above); !thought.isEmpty())
                reply.message.text = thought + QLatin1String("\n\n") + reply.message.text;
            above = messages[place].parent;
        }
    }
}

QString chatGptText(const QJsonObject &content)
{
    const QString type = content[QLatin1String("content_type")].toString();
    QString whole;
    for (const QJsonValue &part : content[QLatin1String("parts")].toArray()) {
        // Pictures and sounds are objects; of speech they hold the words.
        append(whole, part.isString() ? part.toString()
                                      : part.toObject()[QLatin1String("text")].toString());
    }
    if (type == QLatin1String("code"))
        return QStringLiteral("```\n%1\n```").arg(content[QLatin1String("text")].toString());
    if (whole.isEmpty())
        whole = content[QLatin1String("text")].toString();
    return whole;
}

} // namespace

QJsonArray listIn(const QJsonObject &json, const char *key)
{
    const QJsonValue value = json[QLatin1String(key)];
    if (!value.isArray())
        throw ChatFileError(Texts::tr("its “%1” is no list").arg(QLatin1String(key)));
    return value.toArray();
}

QJsonObject objectIn(const QJsonObject &json, const char *key)
{
    const QJsonValue value = json[QLatin1String(key)];
    if (!value.isObject())
        throw ChatFileError(Texts::tr("its “%1” is no object").arg(QLatin1String(key)));
    return value.toObject();
}

QDateTime momentOf(const QJsonValue &value)
{
    if (value.isString()) {
        const QDateTime moment = QDateTime::fromString(value.toString(), Qt::ISODateWithMs);
        return moment.isValid() ? moment.toUTC() : moment;
    }
    const double number = value.toDouble();
    if (!(number > 0 && number < 1e15))
        return {};
    return QDateTime::fromMSecsSinceEpoch(qint64(number < kMilliseconds ? number * 1000 : number))
        .toUTC();
}

std::optional<QString> roleOf(const QString &role)
{
    if (role == QLatin1String("user") || role == QLatin1String("assistant"))
        return role;
    return std::nullopt;
}

ChatTree readLmStudio(const QJsonObject &conversation)
{
    ChatTree chat;
    chat.title = conversation[QLatin1String("name")].toString();
    chat.named = !chat.title.isEmpty();
    chat.pinned = conversation[QLatin1String("pinned")].toBool();
    chat.created = momentOf(conversation[QLatin1String("createdAt")]);
    for (const char *key : {"userLastMessagedAt", "assistantLastMessagedAt"}) {
        if (const QDateTime moment = momentOf(conversation[QLatin1String(key)]); moment.isValid())
            chat.updated = chat.updated.isValid() ? std::max(chat.updated, moment) : moment;
    }
    const QString model =
        conversation[QLatin1String("lastUsedModel")][QLatin1String("identifier")].toString();
    setSystemPrompt(chat, conversation[QLatin1String("systemPrompt")].toString());
    const QJsonValue config = conversation[QLatin1String("perChatPredictionConfig")];
    for (const QJsonValue &field : config[QLatin1String("fields")].toArray()) {
        if (field[QLatin1String("key")] == QLatin1String("llm.prediction.systemPrompt"))
            setSystemPrompt(chat, field[QLatin1String("value")].toString());
    }
    QList<KeyedMessage> messages;
    QString parent;
    for (const QJsonValue &value : listIn(conversation, "messages")) {
        const QJsonArray versions = value[QLatin1String("versions")].toArray();
        const qint64 chosen = value[QLatin1String("currentlySelected")].toInteger(0);
        const qsizetype first = messages.size();
        try {
            if (versions.isEmpty() || chosen < 0 || chosen >= versions.size())
                throw ChatFileError(Texts::tr("a message has no version in view"));
            for (const QJsonValue &version : versions)
                addLmStudioVersion(chat, messages, objectOf(version, Texts::tr("a version")),
                                   parent, model);
        } catch (const ChatFileError &) {
            messages.resize(first); // the others are still a chat
            ++chat.lostMessages;
            continue;
        }
        parent = messages[first + chosen].key; // the conversation goes on from what is in view
    }
    if (messages.isEmpty() && chat.lostMessages > 0)
        throw ChatFileError(Texts::tr("none of its messages can be read"));
    setMessages(chat, messages, parent);
    return chat;
}

ChatTree readOpenWebUi(const QJsonObject &exported)
{
    const QJsonObject json =
        exported.contains(QLatin1String("chat")) ? objectIn(exported, "chat") : exported;
    ChatTree chat;
    chat.title = json[QLatin1String("title")].toString(exported[QLatin1String("title")].toString());
    chat.named = !chat.title.isEmpty();
    chat.pinned = exported[QLatin1String("pinned")].toBool();
    chat.created = momentOf(exported[QLatin1String("created_at")].isDouble()
                                ? exported[QLatin1String("created_at")]
                                : json[QLatin1String("timestamp")]);
    chat.updated = momentOf(exported[QLatin1String("updated_at")]);
    setSystemPrompt(chat, json[QLatin1String("params")][QLatin1String("system")].toString(
                              json[QLatin1String("system")].toString()));
    const QJsonObject history = objectIn(json, "history"), tree = objectIn(history, "messages");
    const QString model = json[QLatin1String("models")][0].toString();
    QList<KeyedMessage> messages;
    QHash<QString, QStringList> children;
    for (auto it = tree.begin(); it != tree.end(); ++it) {
        const QJsonObject node = it.value().toObject();
        if (node.isEmpty())
            ++chat.lostMessages;
        children.insert(it.key(), namesIn(node[QLatin1String("childrenIds")]));
        KeyedMessage one{it.key(), node[QLatin1String("parentId")].toString(), true, {}};
        Message &message = one.message;
        message.role = node[QLatin1String("role")].toString();
        one.shown = roleOf(message.role).has_value();
        message.text = withThoughts(textOf(node[QLatin1String("content")]));
        message.created = momentOf(node[QLatin1String("timestamp")]);
        setModel(message, node[QLatin1String("modelName")].toString(
                              node[QLatin1String("model")].toString(model)));
        const int files = filesIn(node[QLatin1String("content")]) +
                          static_cast<int>(node[QLatin1String("files")].toArray().size());
        chat.lostFiles += files;
        chat.lostMessages += isLost(one, files) ? 1 : 0;
        messages.append(one);
    }
    if (chat.lostMessages > 0 && chat.lostMessages == messages.size())
        throw ChatFileError(Texts::tr("none of its messages can be read"));
    sortSiblings(messages, children);
    setMessages(chat, messages, history[QLatin1String("currentId")].toString());
    return chat;
}

ChatTree readChatGpt(const QJsonObject &conversation)
{
    ChatTree chat;
    chat.title = conversation[QLatin1String("title")].toString();
    chat.named = !chat.title.isEmpty();
    chat.created = momentOf(conversation[QLatin1String("create_time")]);
    chat.updated = momentOf(conversation[QLatin1String("update_time")]);
    const QJsonObject mapping = objectIn(conversation, "mapping");
    const QString model = conversation[QLatin1String("default_model_slug")].toString();
    QList<KeyedMessage> messages;
    QHash<QString, QString> thoughts;
    QHash<QString, QStringList> children;
    for (auto it = mapping.begin(); it != mapping.end(); ++it) {
        const QJsonObject node = it.value().toObject();
        children.insert(it.key(), namesIn(node[QLatin1String("children")]));
        const QJsonObject said = node[QLatin1String("message")].toObject();
        KeyedMessage one{it.key(), node[QLatin1String("parent")].toString(), true, {}};
        Message &message = one.message;
        message.role = said[QLatin1String("author")][QLatin1String("role")].toString();
        const QJsonObject content = said[QLatin1String("content")].toObject();
        if (content[QLatin1String("content_type")] == QLatin1String("thoughts"))
            thoughts.insert(it.key(), chatGptThoughts(content));
        message.text = chatGptText(content);
        if (message.role == QLatin1String("assistant"))
            message.text = withoutCitations(message.text);
        message.created = momentOf(said[QLatin1String("create_time")]);
        const QJsonObject facts = said[QLatin1String("metadata")].toObject();
        setModel(message, facts[QLatin1String("model_slug")].toString(model));
        const bool hidden = facts[QLatin1String("is_visually_hidden_from_conversation")].toBool();
        one.shown = roleOf(message.role) && !message.text.isEmpty() && !hidden;
        const int files = chatGptFiles(content, facts);
        chat.lostFiles += files;
        // Replies have empty messages of their own around calls of tools.
        const bool empty = message.role == QLatin1String("user")
                               ? message.text.isEmpty()
                               : message.role == QLatin1String("assistant") && content.isEmpty();
        const bool lost = empty && !hidden && files == 0;
        chat.lostMessages += lost || node.isEmpty() ? 1 : 0;
        messages.append(one);
    }
    if (chat.lostMessages > 0 && chat.lostMessages == messages.size())
        throw ChatFileError(Texts::tr("none of its messages can be read"));
    joinThoughts(messages, thoughts);
    sortSiblings(messages, children);
    setMessages(chat, messages, conversation[QLatin1String("current_node")].toString());
    return chat;
}

/// Thoughts are parts of their own since 2026.
static QString janText(const QJsonValue &content)
{
    QString whole;
    for (const QJsonValue &part : content.toArray()) {
        if (part[QLatin1String("type")] == QLatin1String("reasoning"))
            append(whole, thoughts(part[QLatin1String("text")][QLatin1String("value")].toString()));
    }
    append(whole, textOf(content, "value"));
    return whole;
}

ChatTree readJan(const QJsonObject &thread, const QList<QJsonObject> &lines)
{
    ChatTree chat;
    chat.title = thread[QLatin1String("title")].toString(
        thread[QLatin1String("metadata")][QLatin1String("title")].toString());
    chat.named = !chat.title.isEmpty();
    chat.created = momentOf(thread[QLatin1String("created")]);
    chat.updated = momentOf(thread[QLatin1String("updated")]);
    const QJsonObject assistant = thread[QLatin1String("assistants")][0].toObject();
    setSystemPrompt(chat, assistant[QLatin1String("instructions")].toString());
    const QString model = assistant[QLatin1String("model")][QLatin1String("id")].toString(
        thread[QLatin1String("model")][QLatin1String("id")].toString());
    QList<KeyedMessage> messages;
    QString parent;
    for (const QJsonObject &line : lines) {
        KeyedMessage one;
        Message &message = one.message;
        message.role = line[QLatin1String("role")].toString();
        if (message.role.isEmpty() || line[QLatin1String("content")].isUndefined()) {
            ++chat.lostMessages;
            continue;
        }
        one.key = QString::number(messages.size());
        one.parent = parent;
        one.shown = roleOf(message.role).has_value();
        message.text = janText(line[QLatin1String("content")]);
        message.created = momentOf(line[QLatin1String("created_at")]);
        setModel(message, model);
        const int files = filesIn(line[QLatin1String("content")]) +
                          static_cast<int>(line[QLatin1String("attachments")].toArray().size());
        chat.lostFiles += files;
        chat.lostMessages += isLost(one, files) ? 1 : 0;
        parent = one.key;
        messages.append(one);
    }
    if (messages.isEmpty() && chat.lostMessages > 0)
        throw ChatFileError(Texts::tr("none of its messages can be read"));
    setMessages(chat, messages, parent);
    return chat;
}

} // namespace fireside::formats
