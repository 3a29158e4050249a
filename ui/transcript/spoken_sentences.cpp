#include "ui/transcript/spoken_sentences.h"

#include "app/chat/message_parts.h"
#include "ui/transcript/markdown_tags.h"
#include "ui/transcript/transcript_text.h"

#include <QRegularExpression>
#include <QTextBoundaryFinder>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// "```" or "~~~" at the beginning of a line; empty: none.
QString fenceOf(QStringView line)
{
    static const QRegularExpression kFence(QStringLiteral("^ {0,3}(`{3,}|~{3,})"));
    return kFence.match(line.toString()).captured(1);
}

/// Where the last whole sentence ends; 0: none is whole yet.
qsizetype lastSentenceEnd(const QString &text)
{
    QTextBoundaryFinder finder(QTextBoundaryFinder::Sentence, text);
    qsizetype end = 0;
    for (qsizetype at = finder.toNextBoundary(); at > 0 && at < text.size();
         at = finder.toNextBoundary())
        end = at;
    return end;
}

void append(QString &said, const QString &more)
{
    if (more.isEmpty())
        return;
    if (!said.isEmpty())
        said += QLatin1Char('\n');
    said += more;
}

/// Without the tags that the window shows as formats.
QString withoutTags(QString text)
{
    static const QRegularExpression kTag(QStringLiteral("<[^<>]{1,200}>"));
    for (qsizetype at = 0; (at = text.indexOf(kTag, at)) >= 0;) {
        const qsizetype length = text.indexOf(QLatin1Char('>'), at) + 1 - at;
        const Tag tag = parseTag(QStringView(text).mid(at, length)).tag;
        if (tag == Tag::None)
            at += length;
        else
            text.replace(at, length, tag == Tag::Break ? QStringLiteral(" ") : QString());
    }
    return text;
}

} // namespace

QString answerOf(const Message &reply)
{
    QString answer;
    qsizetype at = 0;
    for (const MessagePart &part : partsOf(reply)) {
        if (part.kind == MessagePart::Text)
            continue;
        answer += QStringView(reply.text).mid(at, part.start - at);
        at = part.start + part.length;
    }
    answer += QStringView(reply.text).mid(at);
    return answer;
}

QString spokenLine(QStringView markdown)
{
    static const QRegularExpression kRule(QStringLiteral("^[\\s|:=*_-]*$"));
    static const QRegularExpression kLead(QStringLiteral("^\\s*(?:#{1,6}\\s+|>\\s?|[-*+]\\s+)+"));
    static const QRegularExpression kLink(QStringLiteral("!?\\[([^\\]]*)\\]\\([^)]*\\)"));
    static const QRegularExpression kMarks(QStringLiteral("\\*\\*|__|`+|(?<!\\w)[*_]|[*_](?!\\w)"));
    if (kRule.match(markdown.toString()).hasMatch())
        return {};
    QString text = markdown.toString();
    text = withoutTags(text);
    text.remove(kLead).replace(kLink, QStringLiteral("\\1")).remove(kMarks);
    text.replace(QLatin1Char('|'), QLatin1Char(' '));
    return text.simplified();
}

/// A whole line, or the rest of one; `begins`: nothing of it was said yet.
QString SpokenSentences::line(QStringView text, bool begins)
{
    const QString fence = begins ? fenceOf(text) : QString();
    if (!m_inCode && !fence.isEmpty()) {
        m_inCode = true;
        m_fence = fence;
        m_codeLines = 0;
        return {};
    }
    if (!m_inCode)
        return spokenLine(text);
    if (!fence.startsWith(m_fence)) {
        ++m_codeLines;
        return {};
    }
    m_inCode = false;
    return TranscriptTexts::tr("Code, lines: %1").arg(m_codeLines);
}

QString SpokenSentences::next(const Message &reply)
{
    const QString answer = answerOf(reply);
    const bool ended = reply.state != Message::State::Streaming;
    QString said;
    m_at = std::min(m_at, answer.size());
    const auto begins = [&] { return m_at == 0 || answer[m_at - 1] == QLatin1Char('\n'); };
    for (qsizetype end; (end = answer.indexOf(QLatin1Char('\n'), m_at)) >= 0; m_at = end + 1)
        append(said, line(QStringView(answer).mid(m_at, end - m_at), begins()));
    const QString rest = answer.mid(m_at);
    if (ended) {
        append(said, line(rest, begins()));
        if (std::exchange(m_inCode, false))
            append(said, TranscriptTexts::tr("Code, lines: %1").arg(m_codeLines));
        m_at = answer.size();
    } else if (!m_inCode && fenceOf(rest).isEmpty()) {
        const qsizetype whole = lastSentenceEnd(rest);
        append(said, spokenLine(QStringView(rest).left(whole)));
        m_at += whole;
    }
    return said;
}

} // namespace fireside
