// Which text lies under a point, and the text between two places.
#include "ui/transcript/found_words.h"
#include "ui/transcript/message_item.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

namespace fireside {

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

double MessageItem::foundTop(const QStringList &words)
{
    rows();
    const auto holds = [&](const Part &part) {
        return !findWords(m_message.text.mid(part.section.start, part.section.length), words)
                    .isEmpty();
    };
    const auto first = [&](bool reasoning) {
        return std::find_if(m_parts.begin(), m_parts.end(), [&](const Part &part) {
            return part.section.reasoning == reasoning && holds(part);
        });
    };
    auto part = first(false);
    if (part == m_parts.end())
        part = first(true);
    if (part == m_parts.end())
        return 0;
    if (part->section.reasoning && !m_reasoningShown)
        toggleReasoning();
    const int section = int(part - m_parts.begin());
    const RenderedSection &shown = rendered(section);
    double top = partRect(section).top();
    for (QTextBlock block = shown.document->begin(); block.isValid(); block = block.next()) {
        const auto matches = findWords(block.text(), words);
        if (matches.isEmpty())
            continue;
        const QRectF rect = shown.document->documentLayout()->blockBoundingRect(block);
        const int at = int(matches.first().first);
        if (const QTextLine line = block.layout()->lineForTextPosition(at); line.isValid())
            reveal(section, block.layout()->position().x() + line.cursorToX(at), rect.center().y());
        return top + shown.above + rect.top();
    }
    return top;
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
