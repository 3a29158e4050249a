// What stands above and below a message: who speaks, what a call is called, how a reply ended.
#include "app/chat/chat_texts.h"
#include "app/chat/message_parts.h"
#include "app/runtime/engine_text.h"
#include "ui/transcript/message_item.h"
#include "ui/transcript/transcript_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace fireside {

namespace {
constexpr double kMinShownSeconds = 0.05; // less would be shown as 0.0
}

QString MessageItem::speaker() const
{
    if (fromUser())
        return TranscriptTexts::tr("You");
    if (isSummary(m_message))
        return TranscriptTexts::tr("Summary of what the model no longer sees");
    const QString model = m_message.record.value(QLatin1String("model")).toString();
    return model.isEmpty() ? TranscriptTexts::tr("Assistant") : model;
}

QString MessageItem::callTitle() const
{
    if (!m_call)
        return {};
    const QString server =
        m_call->server == kBuiltIn ? TranscriptTexts::tr("Built in") : m_call->server.left(60);
    return server.isEmpty() ? m_call->tool.left(100)
                            : QStringLiteral("%1 · %2").arg(m_call->tool.left(100), server);
}

QString MessageItem::callState() const
{
    if (!m_call)
        return {};
    if (m_message.state == Message::State::Interrupted)
        return TranscriptTexts::tr("Interrupted: the program ended");
    const QString seconds = QLocale().toString(m_call->seconds, 'f', 1);
    switch (m_call->stage) {
    case CallRecord::Asking:
        return TranscriptTexts::tr("Waits for your answer");
    case CallRecord::Running:
        if (m_call->fraction >= 0)
            return TranscriptTexts::tr("Runs… %1 %").arg(int(m_call->fraction * 100));
        return m_call->progress.isEmpty() ? TranscriptTexts::tr("Runs…")
                                          : TranscriptTexts::tr("Runs… %1").arg(m_call->progress);
    case CallRecord::Over:
        break;
    }
    switch (m_call->kind) {
    case ToolResult::Done:
        return m_call->seconds < kMinShownSeconds
                   ? TranscriptTexts::tr("Done")
                   : TranscriptTexts::tr("Done in %1 s").arg(seconds);
    case ToolResult::ToolError:
        return TranscriptTexts::tr("The tool reports an error");
    case ToolResult::Failed:
        return TranscriptTexts::tr("Failed");
    case ToolResult::Stopped:
        return TranscriptTexts::tr("Stopped");
    case ToolResult::Refused:
        break;
    }
    return TranscriptTexts::tr("Not run");
}

QString MessageItem::noticeText() const
{
    if (isCall())
        return {};
    switch (m_message.state) {
    case Message::State::Stopped:
        return TranscriptTexts::tr("Stopped");
    case Message::State::Interrupted:
        return TranscriptTexts::tr("Interrupted: the program ended while this was written");
    case Message::State::Failed:
        return m_message.error.isEmpty() ? TranscriptTexts::tr("The reply failed.")
                                         : asSentence(engineText(m_message.error));
    case Message::State::Complete:
        if (m_message.record.value(QLatin1String("finish")) == QLatin1String("server's limit"))
            return TranscriptTexts::tr("Cut off: the longest reply that the server allows");
        if (m_message.record.value(QLatin1String("finish")) == QLatin1String("content filter"))
            return TranscriptTexts::tr("Cut off by the server's content filter");
        if (m_message.record.value(QLatin1String("finish")) == QLatin1String("length"))
            return TranscriptTexts::tr("Cut off: the longest reply that the settings allow");
        break;
    case Message::State::Streaming:
        break;
    }
    return m_message.record.value(QLatin1String("insteadOf")).toString();
}

QString MessageItem::reasoningTitle() const
{
    if (isCall()) {
        qsizetype shown = 0;
        for (const Part &part : m_parts)
            shown += part.section.reasoning ? part.section.length : 0;
        const QLocale locale;
        return m_call->whole > 0
                   ? TranscriptTexts::tr("Result: the first %1 of %2 characters")
                         .arg(locale.toString(shown), locale.toString(m_call->whole))
                   : TranscriptTexts::tr("Result: %1 characters").arg(locale.toString(shown));
    }
    if (m_split.reasoningOpen && m_message.state == Message::State::Streaming)
        return TranscriptTexts::tr("Thinking…");
    const double recorded = m_message.record.value(QLatin1String("reasoningSeconds")).toDouble(-1);
    const double seconds = m_thoughtSeconds >= 0 ? m_thoughtSeconds : recorded;
    if (seconds >= kMinShownSeconds)
        return TranscriptTexts::tr("Thought for %1 s").arg(QLocale().toString(seconds, 'f', 1));
    return TranscriptTexts::tr("Reasoning");
}

} // namespace fireside
