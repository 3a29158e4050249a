// Chats of GPT4All: the files gpt4all-*.chat in its folder of models, a stream of Qt's. What
// follows is from its sources (gpt4all-chat/src/chat.cpp, chatmodel.cpp), versions 6 to 12 of the
// format.
#include "app/exchange/chat_formats.h"

#include <QDataStream>
#include <QIODevice>

namespace fireside::formats {
namespace {

constexpr quint32 kMagic = 0xF5D553CC;
constexpr int kOldest = 6, kNewest = 12;
constexpr qint64 kMostItems = 1'000'000; // of a list; more is damage
constexpr int kMostDepth = 4;            // of items in items; it writes three

/// Checks each step, so that what is cut or foreign ends at once.
class Reader
{
public:
    explicit Reader(const QByteArray &content)
        : m_stream(content)
    {
        m_stream.setVersion(QDataStream::Qt_6_2);
    }

    template <typename Value>
    Value next()
    {
        Value value{};
        m_stream >> value;
        if (m_stream.status() != QDataStream::Ok)
            throw ChatFileError(Texts::tr("it ends too early, or is damaged"));
        return value;
    }
    void text(int count)
    {
        for (int i = 0; i < count; ++i)
            next<QString>();
    }
    qint64 count(qint64 value) const
    {
        if (value < 0 || value > kMostItems)
            throw ChatFileError(Texts::tr("it is damaged: a list of %1 entries").arg(value));
        return value;
    }
    void skip(qint64 bytes)
    {
        if (bytes < 0 || bytes > m_stream.device()->bytesAvailable())
            throw ChatFileError(Texts::tr("it ends too early, or is damaged"));
        m_stream.skipRawData(static_cast<int>(bytes));
    }

private:
    QDataStream m_stream;
};

QString withoutMarks(QString thought)
{
    thought = thought.trimmed();
    if (thought.startsWith(QLatin1String("<think>")))
        thought.remove(0, 7);
    if (thought.endsWith(QLatin1String("</think>")))
        thought.chop(8);
    return thought.trimmed();
}

void skipValue(Reader &in)
{
    enum Kind : quint32 { Bool = 1, Int = 2, UInt = 3, LongLong = 4, ULongLong = 5, Double = 6 };
    constexpr quint32 kString = 10;
    const auto kind = in.next<quint32>();
    in.next<qint8>(); // whether it is null
    switch (kind) {
    case Bool:
        in.next<bool>();
        return;
    case Int:
    case UInt:
        in.next<qint32>();
        return;
    case LongLong:
    case ULongLong:
    case Double:
        in.next<qint64>();
        return;
    case kString:
        in.text(1);
        return;
    default:
        throw ChatFileError(Texts::tr("a tool's parameter is of a kind that is not known here"));
    }
}

/// Tools and what they gave are left out.
void skipToolCall(Reader &in)
{
    in.text(1);
    for (qint64 left = in.count(in.next<qint64>()); left > 0; --left) {
        in.text(1);
        in.next<qint32>();
        skipValue(in);
    }
    in.text(1);
    in.next<qint32>();
    in.text(1);
}

/// What a reply said before its last words.
QString partsOf(Reader &in, int depth)
{
    if (depth > kMostDepth)
        throw ChatFileError(Texts::tr("it is damaged: messages within messages"));
    QString whole;
    for (qint64 left = in.count(in.next<qint64>()); left > 0; --left) {
        const auto name = in.next<QString>(), value = in.next<QString>();
        if (name == QLatin1String("ToolCall: "))
            skipToolCall(in);
        else if (name == QLatin1String("Think: ")) {
            in.next<qint32>(); // how long
            whole += QStringLiteral("<think>\n%1\n</think>\n").arg(withoutMarks(value));
        } else if (name == QLatin1String("Text: ") || name == QLatin1String("Response: "))
            whole += value;
        else if (name != QLatin1String("ToolResponse: "))
            throw ChatFileError(Texts::tr("it is damaged: a part called “%1”").arg(name.left(40)));
        whole += partsOf(in, depth + 1);
    }
    return whole;
}

void skipSources(Reader &in, int version)
{
    if (version < 8) {
        in.text(1);
        in.text(static_cast<int>(in.count(in.next<quint32>())));
        return;
    }
    for (qint64 left = in.count(in.next<qint64>()); left > 0; --left) {
        in.text(7);
        for (int i = 0; i < 3; ++i)
            in.next<qint32>(); // page, lines
    }
}

Message messageIn(Reader &in, int version, int &files)
{
    Message message;
    if (version < 12)
        in.next<qint32>(); // its number
    const auto name = in.next<QString>();
    if (name == QLatin1String("Prompt: "))
        message.role = QStringLiteral("user");
    else if (name == QLatin1String("Response: "))
        message.role = QStringLiteral("assistant");
    else if (name != QLatin1String("System: "))
        throw ChatFileError(Texts::tr("it is damaged: a message called “%1”").arg(name.left(40)));
    message.text = in.next<QString>();
    in.text(version < 10 ? 2 : 1);
    for (int i = 0; i < 4; ++i)
        in.next<bool>();
    if (version >= 11 && message.role == QLatin1String("assistant"))
        in.next<bool>(); // failed
    skipSources(in, version);
    if (version >= 10) {
        for (qint64 left = in.count(in.next<qint64>()); left > 0; --left) {
            ++files;
            in.next<QByteArray>(); // address of a file, and what is in it
            in.next<QByteArray>();
        }
    }
    if (version >= 12)
        message.text = partsOf(in, 0) + message.text;
    return message;
}

/// What the model had computed is of no use here.
void skipState(Reader &in, int version)
{
    if (version >= 11)
        return;
    const bool stored = in.next<bool>();
    in.next<qint32>(); // kind of model, and of its state
    in.next<qint32>();
    in.text(2); // the last reply, the title
    in.next<qint32>();
    if (!stored)
        return;
    in.next<qint32>();
    if (version >= 7)
        in.next<qint32>();
    constexpr qint64 kSize = 4; // of a logit, and of a token
    for (int lists = version < 10 ? 2 : 1; lists > 0; --lists)
        in.skip(in.count(in.next<qint64>()) * kSize);
    in.skip(in.next<quint32>());
}

} // namespace

bool isGpt4All(const QByteArray &content)
{
    return content.startsWith(QByteArray("\xF5\xD5\x53\xCC", 4));
}

ChatTree readGpt4All(const QByteArray &content)
{
    Reader in(content);
    const auto magic = in.next<quint32>();
    const auto version = in.next<qint32>();
    if (magic != kMagic || version < kOldest || version > kNewest)
        throw ChatFileError(Texts::tr("its format has version %1; versions %2 to %3 are known here")
                                .arg(version)
                                .arg(kOldest)
                                .arg(kNewest));
    ChatTree chat;
    chat.created = momentOf(double(in.next<qint64>()));
    in.text(1); // its number
    chat.title = in.next<QString>();
    chat.named = !chat.title.isEmpty();
    in.text(1); // the user's name
    const auto model = in.next<QString>();
    in.text(static_cast<int>(in.count(in.next<quint32>()))); // collections of documents
    skipState(in, version);
    QList<KeyedMessage> messages;
    QString parent;
    for (qint64 left = in.count(in.next<qint32>()); left > 0; --left) {
        KeyedMessage one{QString::number(messages.size()), parent, true,
                         messageIn(in, version, chat.lostFiles)};
        one.message.created = chat.created;
        one.shown = roleOf(one.message.role).has_value();
        if (one.message.role == QLatin1String("assistant") && !model.isEmpty())
            one.message.record[QLatin1String("model")] = model;
        parent = one.key;
        messages.append(one);
    }
    setMessages(chat, messages, parent);
    return chat;
}

} // namespace fireside::formats
