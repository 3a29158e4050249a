#include "app/runtime/reply_text.h"

#include "engine/text/reply/call_values.h"

#include <utility>

namespace fireside {
namespace {

const QString kThink = QStringLiteral("<think>\n");
const QString kThinkEnd = QStringLiteral("\n</think>\n\n");

QString readable(const std::string &arguments)
{
    const auto json = parseJson(arguments);
    using Json = nlohmann::ordered_json;
    return QString::fromStdString(json ? json->dump(2, ' ', false, Json::error_handler_t::replace)
                                       : arguments);
}

} // namespace

void ReplyText::put(const QString &text)
{
    m_new += text;
    m_length += text.size();
}

/// Ends the last part and begins another.
void ReplyText::begin(MessagePart::Kind kind)
{
    if (!m_parts.isEmpty() && m_parts.last().kind == MessagePart::Reasoning)
        put(kThinkEnd);
    else if (!m_parts.isEmpty())
        put(QStringLiteral("\n\n"));
    if (kind == MessagePart::Reasoning)
        put(kThink);
    m_parts.append({.kind = kind, .start = m_length});
}

void ReplyText::add(const ReplyDelta &delta)
{
    if (delta.takesAllBefore && m_length > 0) {
        m_parts = {{.kind = MessagePart::Reasoning, .start = 0, .length = m_length}};
        return;
    }
    if (delta.call) {
        begin(MessagePart::Call);
        const QString name = QString::fromStdString(delta.call->name);
        const QString received = QString::fromStdString(delta.call->arguments);
        const QString arguments = readable(delta.call->arguments);
        put(QStringLiteral("```") + name + QLatin1Char('\n'));
        MessagePart &part = m_parts.last();
        part = {MessagePart::Call,
                m_length,
                arguments.size(),
                name,
                QString::fromStdString(delta.call->id),
                received == arguments ? QString() : received};
        put(arguments + QStringLiteral("\n```"));
        return;
    }
    if (delta.text.empty())
        return;
    const auto kind =
        delta.kind == ReplyPartKind::Reasoning ? MessagePart::Reasoning : MessagePart::Text;
    if (m_parts.isEmpty() || delta.begins || m_parts.last().kind != kind)
        begin(kind);
    const QString text = QString::fromStdString(delta.text);
    m_parts.last().length += text.size();
    put(text);
}

QString ReplyText::takeNew()
{
    return std::exchange(m_new, {});
}

} // namespace fireside
