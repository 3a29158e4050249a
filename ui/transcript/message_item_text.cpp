// Which text lies under a point, and the text between two places.
#include "ui/transcript/formula_object.h"
#include "ui/transcript/found_words.h"
#include "ui/transcript/markdown_slice.h"
#include "ui/transcript/message_item.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

namespace fireside {

namespace {

/// One longer than any run of backticks in the code.
QString fenceFor(const QString &code)
{
    qsizetype longest = 2, run = 0;
    for (const QChar c : code) {
        run = c == QLatin1Char('`') ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return QString(longest + 1, QLatin1Char('`'));
}

} // namespace

MessageItem::Hit MessageItem::hitTest(QPointF point)
{
    Hit hit;
    const Row *row = rowAt(point.y());
    const QRectF column = columnRect();
    if (!row || point.y() > m_height)
        return hit;
    const bool inColumn = point.x() >= column.left() && point.x() <= column.right();
    if (row->kind == RowKind::ReasoningHeader && inColumn)
        hit.kind = Hit::Reasoning;
    else if (row->kind == RowKind::ShowAll && inColumn)
        hit.kind = Hit::ShowAll;
    if (row->kind != RowKind::Section || !m_parts[size_t(row->section)].rendered)
        return hit;

    const QRectF place = partRect(row->section);
    const RenderedSection &section = rendered(row->section);
    const QPointF local = point - place.topLeft();
    hit.position.section = row->section;
    if (const int code = copyButtonAt(section, local); code >= 0) {
        hit.kind = Hit::CopyCode;
        hit.codeBlock = code;
        return hit;
    }
    const QList<SideShift> shifts = shiftsOf(row->section);
    for (qsizetype i = 0; i < shifts.size(); ++i) {
        const QRectF bar = sideBar(section.wide.at(i)).translated(0, section.above);
        if (shifts[i].reach > 0 && section.wide.at(i).bar &&
            bar.adjusted(0, -3, 0, 3).contains(local)) {
            hit.kind = Hit::SideBar;
            hit.wideBlock = int(i);
            return hit;
        }
    }
    const QAbstractTextDocumentLayout *layout = section.document->documentLayout();
    const QPointF inside = inDocument(row->section, local);
    const int exact = layout->hitTest(inside, Qt::ExactHit);
    if (exact >= 0) {
        hit.position.offset = layout->hitTest(inside, Qt::FuzzyHit);
        hit.kind = Hit::Text;
        hit.address = layout->anchorAt(inside);
        if (!hit.address.isEmpty())
            hit.kind = Hit::Link;
    }
    return hit;
}

TextPosition MessageItem::positionAt(QPointF point)
{
    // The nearest section row above the point, else the first one.
    const Row *found = nullptr;
    for (const Row &row : rows()) {
        if (row.kind != RowKind::Section)
            continue;
        if (!found || row.top <= point.y())
            found = &row;
    }
    if (!found)
        return {};
    const QRectF place = partRect(found->section);
    const RenderedSection &section = rendered(found->section);
    const QPointF local = inDocument(found->section, point - place.topLeft());
    int offset = 0;
    if (local.y() >= section.document->size().height())
        offset = section.document->characterCount() - 1;
    else if (local.y() > 0)
        offset = std::max(0, section.document->documentLayout()->hitTest(local, Qt::FuzzyHit));
    return {found->section, offset};
}

std::pair<TextPosition, TextPosition> MessageItem::wordAt(TextPosition position)
{
    QTextCursor cursor(rendered(position.section).document.get());
    cursor.setPosition(position.offset);
    cursor.select(QTextCursor::WordUnderCursor);
    return {{position.section, cursor.selectionStart()}, {position.section, cursor.selectionEnd()}};
}

/// What is drawn lacks marks of the source: the same word is looked for, the same one of its kind.
std::optional<qsizetype> MessageItem::sourceOf(TextPosition position)
{
    const auto [from, to] = wordAt(position);
    const QTextDocument &document = *rendered(from.section).document;
    const QString drawn = textBefore(document, from.offset);
    const QString word = documentText(document, from.offset, to.offset);
    if (word.trimmed().isEmpty())
        return std::nullopt;
    const Section &section = m_parts[size_t(from.section)].section;
    const QStringView source = QStringView(m_message.text).mid(section.start, section.length);
    qsizetype place = source.indexOf(word);
    for (auto before = drawn.count(word); place >= 0 && before > 0; --before)
        place = source.indexOf(word, place + word.size());
    return place < 0 ? std::nullopt : std::optional(section.start + place);
}

std::pair<TextPosition, TextPosition> MessageItem::everything()
{
    int first = -1, last = -1;
    for (const Row &row : rows()) {
        if (row.kind == RowKind::Section) {
            first = first < 0 ? row.section : first;
            last = row.section;
        }
    }
    if (first < 0)
        return {};
    return {{first, 0}, {last, 1 << 30}}; // offsets are clamped to the document's end when used
}

MessageItem::Found MessageItem::findWords(const QStringList &words)
{
    rows();
    for (const bool reasoning : {false, true}) {
        for (size_t i = 0; i < m_parts.size(); ++i) {
            const Section &section = m_parts[i].section;
            if (section.reasoning == reasoning &&
                !fireside::findWords(m_message.text.mid(section.start, section.length), words)
                     .isEmpty())
                return placeIn(int(i), words, 0);
        }
    }
    return {};
}

MessageItem::Found MessageItem::findPlace(const QStringList &words, int nth)
{
    if (folded() && m_split.cut)
        showAll();
    rows();
    int before = 0;
    for (size_t i = 0; i < m_parts.size(); ++i) {
        const Section &section = m_parts[i].section;
        const int count = int(
            fireside::findWords(m_message.text.mid(section.start, section.length), words).size());
        if (nth < before + count)
            return placeIn(int(i), words, nth - before);
        before += count;
    }
    return {};
}

/// What marks hide of the source may be missing in the document: then the last place counts.
MessageItem::Found MessageItem::placeIn(int section, const QStringList &words, int nth)
{
    if (m_parts[size_t(section)].section.reasoning && !m_reasoningShown)
        toggleReasoning();
    const RenderedSection &shown = rendered(section);
    const double top = partRect(section).top() + shown.above;
    Found found{top, {section, 0}, {section, 0}};
    int seen = 0;
    for (QTextBlock block = shown.document->begin(); block.isValid() && seen <= nth;
         block = block.next()) {
        for (const auto &[start, length] : findInBlock(block, words)) {
            if (seen++ > nth)
                break;
            const int at = start;
            const QTextLine line = block.layout()->lineForTextPosition(at);
            const QRectF rect = shown.document->documentLayout()->blockBoundingRect(block);
            found = {top + rect.top() + (line.isValid() ? line.y() : 0),
                     {section, block.position() + at},
                     {section, block.position() + at + length}};
            if (line.isValid() && seen > nth)
                reveal(section, block.layout()->position().x() + line.cursorToX(at),
                       rect.top() + line.y() + line.height() / 2);
        }
    }
    return found;
}

QString MessageItem::textBetween(TextPosition from, TextPosition to)
{
    QString result;
    for (const Row &row : rows()) {
        if (row.kind != RowKind::Section || row.section < from.section || row.section > to.section)
            continue;
        const Part &part = m_parts[size_t(row.section)];
        if (!result.isEmpty() && !m_plain && !part.section.continued)
            result += QStringLiteral("\n\n");
        const bool whole = row.section > from.section && row.section < to.section;
        if (whole && part.section.kind != Section::Kind::Markdown) { // no document needed
            result += QStringView(m_message.text).mid(part.section.start, part.section.length);
            continue;
        }
        const QTextDocument &document = *rendered(row.section).document;
        const int start = row.section == from.section ? from.offset : 0;
        const int end = std::min(row.section == to.section ? to.offset : 1 << 30,
                                 document.characterCount() - 1);
        result += documentText(document, start, end);
    }
    return result;
}

QString MessageItem::sourceBetween(TextPosition from, TextPosition to)
{
    if (fromUser() || m_plain)
        return textBetween(from, to); // is its source
    QString result, fence;
    for (const Row &row : rows()) {
        if (row.kind != RowKind::Section || row.section < from.section || row.section > to.section)
            continue;
        const Section &section = m_parts[size_t(row.section)].section;
        const bool begins = row.section == from.section, ends = row.section == to.section;
        QString piece = !begins && !ends ? m_message.text.mid(section.start, section.length)
                                         : sourceIn(row.section, begins ? from.offset : 0,
                                                    ends ? to.offset : 1 << 30);
        if (piece.isEmpty())
            continue;
        const bool code = section.kind == Section::Kind::Code;
        if (code && (!section.continued || begins)) {
            fence = fenceFor(codeText(row.section, 0));
            piece.prepend(fence + section.language + QLatin1Char('\n'));
        }
        if (code && (!section.continues || ends)) {
            if (!piece.endsWith(QLatin1Char('\n')))
                piece += QLatin1Char('\n');
            piece += fence;
        }
        if (!result.isEmpty() && !(code && section.continued))
            result = result.trimmed() + QStringLiteral("\n\n");
        result += piece;
    }
    return result;
}

/// The source of a part of a section, by the words at its ends; as it is drawn where there are
/// none.
QString MessageItem::sourceIn(int section, int from, int to)
{
    const Section &what = m_parts[size_t(section)].section;
    const QTextDocument &document = *rendered(section).document;
    const int end = std::min(to, document.characterCount() - 1);
    const QString drawn = documentText(document, from, end);
    if (from == 0 && end == document.characterCount() - 1)
        return m_message.text.mid(what.start, what.length);
    if (what.kind != Section::Kind::Markdown || drawn.trimmed().isEmpty())
        return drawn;
    const auto first = wordIn(section, from, false), last = wordIn(section, end, true);
    if (!first || !last || *last <= *first)
        return drawn;
    return markdownSlice(QStringView(m_message.text).mid(what.start, what.length),
                         *first - what.start, *last - what.start);
}

/// In the source: where the first word from a place on begins, or the last one before it ends.
std::optional<qsizetype> MessageItem::wordIn(int section, int at, bool last)
{
    const QTextDocument &document = *rendered(section).document;
    const int step = last ? -1 : 1;
    for (int i = last ? at - 1 : at; i >= 0 && i < document.characterCount(); i += step) {
        if (!document.characterAt(i).isLetterOrNumber())
            continue;
        const auto [from, to] = wordAt({section, i});
        const auto start = sourceOf({section, i});
        return last && start ? std::optional(*start + (to.offset - from.offset)) : start;
    }
    return std::nullopt;
}

QString MessageItem::codeText(int section, int codeBlock)
{
    const Section &what = m_parts[size_t(section)].section;
    if (what.kind != Section::Kind::Code)
        return rendered(section).codeBlocks.value(codeBlock).code;
    QString code;
    for (size_t i = size_t(section); i < m_parts.size(); ++i) {
        const Section &piece = m_parts[i].section;
        code += QStringView(m_message.text).mid(piece.start, piece.length);
        if (!piece.continues)
            break;
    }
    return code;
}

} // namespace fireside
