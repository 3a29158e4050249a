#include "ui/transcript/message_sections.h"

#include "ui/transcript/markdown_reader.h"

#include <algorithm>

namespace fireside {

namespace {

struct Line
{
    qsizetype start = 0, end = 0, next = 0; // end: before the line break
    int indent = 0;                         // leading spaces, tabs count four
    qsizetype first = 0;                    // first character that is no white space, or end
    bool blank() const { return first == end; }
};

Line lineAt(const QString &text, qsizetype start, qsizetype limit)
{
    Line line;
    line.start = start;
    const qsizetype newline = text.indexOf(QLatin1Char('\n'), start);
    line.end = newline < 0 || newline > limit ? limit : newline;
    line.next = newline < 0 || newline >= limit ? limit : newline + 1;
    line.first = start;
    while (line.first < line.end && text.at(line.first).isSpace()) {
        line.indent += text.at(line.first) == QLatin1Char('\t') ? 4 : 1;
        ++line.first;
    }
    return line;
}

/// The fence that a line opens or could close: its character and how many of them; 0 when it is
/// none.
struct Fence
{
    QChar mark;
    qsizetype count = 0;
};

Fence fenceOf(const QString &text, const Line &line)
{
    Fence fence;
    if (line.blank())
        return fence;
    const QChar mark = text.at(line.first);
    if (mark != QLatin1Char('`') && mark != QLatin1Char('~'))
        return fence;
    qsizetype i = line.first;
    while (i < line.end && text.at(i) == mark)
        ++i;
    if (i - line.first < 3)
        return fence;
    // Backticks after a backtick fence make it inline code.
    if (mark == QLatin1Char('`') && QStringView(text).mid(i, line.end - i).contains(mark))
        return fence;
    fence.mark = mark;
    fence.count = i - line.first;
    return fence;
}

bool closes(const QString &text, const Line &line, const Fence &open)
{
    const Fence fence = fenceOf(text, line);
    if (fence.mark != open.mark || fence.count < open.count)
        return false;
    return QStringView(text)
        .mid(line.first + fence.count, line.end - line.first - fence.count)
        .trimmed()
        .isEmpty();
}

bool startsListItem(const QString &text, const Line &line)
{
    if (line.blank())
        return false;
    qsizetype i = line.first;
    const QChar c = text.at(i);
    if (c == QLatin1Char('-') || c == QLatin1Char('*') || c == QLatin1Char('+'))
        return i + 1 == line.end || text.at(i + 1).isSpace();
    while (i < line.end && text.at(i).isDigit() && i - line.first < 9)
        ++i;
    return i > line.first && i < line.end &&
           (text.at(i) == QLatin1Char('.') || text.at(i) == QLatin1Char(')'));
}

/// "[label]: address", which any later section may refer to. A footnote is none.
bool isReference(const QString &text, const Line &line)
{
    constexpr qsizetype kMaxReference = 2048;
    return !line.blank() && line.indent <= 3 && text.at(line.first) == QLatin1Char('[') &&
           line.end - line.first <= kMaxReference &&
           isLinkDefinition(QStringView(text).mid(line.first, line.end - line.first));
}

/// Never in the middle of a surrogate pair.
qsizetype safeCut(const QString &text, qsizetype position)
{
    if (position > 0 && position < text.size() && text.at(position).isLowSurrogate())
        return position - 1;
    return position;
}

class Splitter
{
public:
    Splitter(const QString &text, TextStyle style, SplitMessage &out)
        : m_text(text)
        , m_style(style)
        , m_out(out)
    {}

    void plain(qsizetype start, qsizetype end, bool reasoning)
    {
        while (start < end) {
            qsizetype cut = std::min(end, start + kPlainSection);
            if (cut < end) {
                // Prefer a line's end, then a space, in the last quarter.
                const qsizetype from = start + kPlainSection * 3 / 4;
                const QStringView tail = QStringView(m_text).mid(from, cut - from);
                qsizetype at = tail.lastIndexOf(QLatin1Char('\n'));
                if (at < 0)
                    at = tail.lastIndexOf(QLatin1Char(' '));
                cut = at >= 0 ? from + at + 1 : safeCut(m_text, cut);
            }
            add({.kind = Section::Kind::Plain,
                 .start = start,
                 .length = cut - start,
                 .reasoning = reasoning});
            start = cut;
        }
    }

    /// Markdown, or verbatim text, between fenced blocks.
    void blocks(qsizetype start, qsizetype end, bool reasoning)
    {
        m_sectionStart = start;
        m_inList = false;
        bool afterBlank = false;
        for (qsizetype at = start; at < end;) {
            const Line line = lineAt(m_text, at, end);
            if (line.blank()) {
                afterBlank = true;
                at = line.next;
                continue;
            }
            const Fence fence = fenceOf(m_text, line);
            const bool topLevel = line.indent <= 3 && !(m_inList && line.indent >= 2);
            if (fence.count && topLevel) {
                prose(line.start, reasoning);
                at = code(line, fence, end, reasoning);
                m_sectionStart = at;
                m_inList = afterBlank = false;
                continue;
            }
            if (fence.count) { // inside a list item: part of the item
                at = skipFence(line, fence, end);
                afterBlank = false;
                continue;
            }
            const bool item = startsListItem(m_text, line);
            if (afterBlank && line.indent == 0 && !(item && m_inList)) {
                prose(line.start, reasoning);
                m_inList = false;
            }
            m_inList = m_inList || item;
            if (m_style == TextStyle::Reply && isReference(m_text, line) &&
                m_out.references.size() < 4096)
                m_out.references +=
                    m_text.mid(line.start, line.end - line.start) + QLatin1Char('\n');
            afterBlank = false;
            at = line.next;
        }
        prose(end, reasoning);
    }

    void part(const MessagePart &part, qsizetype limit)
    {
        const qsizetype start = std::min(part.start, limit);
        const qsizetype end = std::min(part.start + part.length, limit);
        const bool reasoning = part.kind == MessagePart::Reasoning;
        m_out.hasReasoning = m_out.hasReasoning || reasoning;
        if (m_style == TextStyle::Result && part.kind != MessagePart::Call) {
            m_out.hasReasoning = true;
            return plain(start, end, true);
        }
        if (part.kind != MessagePart::Call)
            return blocks(start, end, reasoning);
        const QString language = QStringLiteral("json");
        for (qsizetype at = start; at < end;) {
            const qsizetype next = std::min(end, safeCut(m_text, at + kPlainSection));
            add({.kind = Section::Kind::Code,
                 .start = at,
                 .length = next - at,
                 .language = language,
                 .continued = at > start,
                 .continues = next < end,
                 .call = part.name,
                 .answered = m_style == TextStyle::Result});
            at = next;
        }
    }

private:
    void add(Section section)
    {
        if (section.length > 0)
            m_out.sections.append(std::move(section));
    }

    /// Ends the current section before `end`.
    void prose(qsizetype end, bool reasoning)
    {
        const qsizetype start = m_sectionStart;
        m_sectionStart = end;
        const QStringView view = QStringView(m_text).mid(start, end - start);
        if (view.trimmed().isEmpty())
            return;
        if (m_style == TextStyle::Verbatim || view.size() > kMarkdownSection) {
            // The blank line before a fence is not part of what a person wrote above it.
            qsizetype last = end;
            while (last > start && m_text.at(last - 1) == QLatin1Char('\n'))
                --last;
            plain(start, last, reasoning);
            return;
        }
        add({.kind = Section::Kind::Markdown,
             .start = start,
             .length = end - start,
             .reasoning = reasoning});
    }

    qsizetype skipFence(const Line &open, const Fence &fence, qsizetype end) const
    {
        for (qsizetype at = open.next; at < end;) {
            const Line line = lineAt(m_text, at, end);
            if (closes(m_text, line, fence))
                return line.next;
            at = line.next;
        }
        return end;
    }

    /// A fenced block; one that is never closed runs to the end, as it must while a reply streams.
    qsizetype code(const Line &open, const Fence &fence, qsizetype end, bool reasoning)
    {
        const QStringView info =
            QStringView(m_text)
                .mid(open.first + fence.count, open.end - open.first - fence.count)
                .trimmed();
        qsizetype word = 0;
        while (word < info.size() && !info.at(word).isSpace() && word < 40)
            ++word;
        const QString language = info.left(word).toString();

        qsizetype pieceStart = open.next;
        bool continued = false;
        const auto piece = [&](qsizetype pieceEnd, bool continues) {
            const qsizetype before = m_out.sections.size();
            // The last line break belongs to the fence.
            const qsizetype length = pieceEnd - pieceStart -
                                     (pieceEnd > pieceStart && !continues &&
                                      m_text.at(pieceEnd - 1) == QLatin1Char('\n'));
            Section section{.kind = Section::Kind::Code,
                            .start = pieceStart,
                            .length = length,
                            .language = language,
                            .continued = continued,
                            .continues = continues,
                            .reasoning = reasoning};
            if (length > 0 || !continued)
                m_out.sections.append(section);
            else if (before > 0)
                m_out.sections.last().continues = false;
            continued = true;
            pieceStart = pieceEnd;
        };
        for (qsizetype at = open.next; at < end;) {
            const Line line = lineAt(m_text, at, end);
            if (closes(m_text, line, fence)) {
                piece(line.start, false);
                return line.next;
            }
            while (line.next - pieceStart > 2 * kPlainSection) // one endless line
                piece(safeCut(m_text, pieceStart + 2 * kPlainSection), true);
            at = line.next;
            if (at - pieceStart > kPlainSection && at < end)
                piece(at, true);
        }
        piece(end, false);
        return end;
    }

    const QString &m_text;
    TextStyle m_style;
    SplitMessage &m_out;
    qsizetype m_sectionStart = 0;
    bool m_inList = false;
};

constexpr QLatin1String kThinkOpen("<think>");
constexpr QLatin1String kThinkClose("</think>");

} // namespace

qsizetype foldedLength(const QString &text)
{
    qsizetype end = 0;
    for (int line = 0; line < kFoldedLines && end < text.size(); ++line) {
        const qsizetype next = text.indexOf(QLatin1Char('\n'), end);
        end = next < 0 ? text.size() : next + 1;
    }
    if (end > kFoldedCharacters) {
        const qsizetype space = text.lastIndexOf(QLatin1Char(' '), kFoldedCharacters);
        end = space > kFoldedCharacters / 2 ? space : safeCut(text, kFoldedCharacters);
    }
    const QStringView rest = QStringView(text).mid(end);
    const bool little = rest.size() < kFoldedCharacters / 4 && rest.count(QLatin1Char('\n')) < 4;
    return little ? text.size() : end;
}

SplitMessage splitMessage(const QString &text, TextStyle style, const QList<MessagePart> &parts,
                          bool folded, qsizetype limit)
{
    SplitMessage out;
    Splitter splitter(text, style, out);
    if (style == TextStyle::PlainText) {
        splitter.plain(0, text.size(), false);
        return out;
    }
    qsizetype end = text.size();
    if (end > limit) {
        end = safeCut(text, kShownOfLong);
        out.cut = true;
    }
    if (const qsizetype fold = folded ? foldedLength(text) : end; fold < end) {
        end = fold;
        out.cut = true;
    }

    if ((style == TextStyle::Reply || style == TextStyle::Result) && !parts.isEmpty()) {
        for (const MessagePart &part : parts)
            splitter.part(part, end);
        out.reasoningOpen = parts.last().kind == MessagePart::Reasoning;
        return out;
    }
    qsizetype answer = 0;
    if (style == TextStyle::Reply) {
        qsizetype first = 0;
        while (first < end && text.at(first).isSpace())
            ++first;
        const bool opened = QStringView(text).mid(first).startsWith(kThinkOpen);
        qsizetype close = text.indexOf(kThinkClose, first);
        if (close >= end)
            close = -1;
        // Some templates open the block in the prompt, so that the reply only closes it.
        if (opened || close >= 0) {
            out.hasReasoning = true;
            out.reasoningOpen = close < 0;
            const qsizetype from = opened ? first + kThinkOpen.size() : first;
            const qsizetype to = close < 0 ? end : close;
            splitter.blocks(from, std::max(from, to), true);
            answer = close < 0 ? end : close + kThinkClose.size();
        }
    }
    splitter.blocks(answer, end, false);
    return out;
}

} // namespace fireside
