#include "app/chat/message_parts.h"
#include "app/exchange/chat_file.h"
#include "app/exchange/chat_formats.h"

#include <QRegularExpression>

#include <algorithm>

namespace fireside {
namespace {

QString quoted(const QString &text)
{
    QString result = QStringLiteral("> ") + text.trimmed();
    return result.replace(QLatin1Char('\n'), QLatin1String("\n> "));
}

/// A fence longer than any in the text.
QString fenced(const QString &text, const QString &language)
{
    static const QRegularExpression ticks(QStringLiteral("`+"));
    qsizetype longest = 2;
    for (auto it = ticks.globalMatch(text); it.hasNext();)
        longest = std::max(longest, it.next().capturedLength());
    const QString fence(longest + 1, QLatin1Char('`'));
    return fence + language + QLatin1Char('\n') + text + QLatin1Char('\n') + fence;
}

QString bodyOf(const Message &message)
{
    QStringList blocks;
    const bool result = message.role == QLatin1String("tool");
    for (const MessagePart &part : partsOf(message)) {
        const QString text = message.text.mid(part.start, part.length);
        if (text.trimmed().isEmpty())
            continue;
        switch (part.kind) {
        case MessagePart::Text:
            blocks += result ? formats::Texts::tr("Result") + QLatin1String("\n\n") +
                                   fenced(text.trimmed(), QString())
                             : text.trimmed();
            break;
        case MessagePart::Reasoning:
            blocks += quoted(text);
            break;
        case MessagePart::Call:
            blocks += formats::Texts::tr("Tool call: %1").arg(part.name) + QLatin1String("\n\n") +
                      fenced(text, QStringLiteral("json"));
            break;
        }
    }
    if (!blocks.isEmpty())
        return blocks.join(QLatin1String("\n\n"));
    // Of an older version, or of another program: the marks say where thoughts end.
    static const QRegularExpression thoughts(QStringLiteral("<think>(.*?)</think>"),
                                             QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch match = thoughts.match(message.text);
    if (!match.hasMatch())
        return message.text.trimmed();
    return quoted(match.captured(1)) + QLatin1String("\n\n") +
           message.text.mid(match.capturedEnd()).trimmed();
}

} // namespace

QList<ChatBlock> chatBlocks(const QString &title, const QList<Message> &path)
{
    QList<ChatBlock> blocks;
    if (!title.trimmed().isEmpty())
        blocks.append({QStringLiteral("# ") + title.simplified()});
    for (const Message &message : path) {
        const QString model = message.record[QLatin1String("model")].toString().simplified();
        const bool typed = message.role == QLatin1String("user");
        const QString speaker = typed                                   ? formats::Texts::tr("You")
                                : message.role == QLatin1String("tool") ? formats::Texts::tr("Tool")
                                : model.isEmpty() ? formats::Texts::tr("Assistant")
                                                  : model;
        blocks.append({QStringLiteral("## ") + speaker});
        if (const QString body = bodyOf(message); !body.isEmpty())
            blocks.append({body, typed});
        if (message.state == Message::State::Failed && !message.error.isEmpty())
            blocks.append({quoted(message.error)});
    }
    return blocks;
}

QString toMarkdown(const QString &title, const QList<Message> &path)
{
    QStringList texts;
    for (const ChatBlock &block : chatBlocks(title, path))
        texts += block.text;
    return texts.join(QLatin1String("\n\n")) + QLatin1Char('\n');
}

} // namespace fireside
