#include "ui/transcript/message_item.h"

#include "app/chat/chat_texts.h"
#include "app/chat/message_parts.h"
#include "ui/style/direction.h"
#include "ui/style/theme.h"
#include "ui/transcript/transcript_text.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QTextDocument>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fireside {

namespace {

constexpr double kSectionGap = 10, kReasoningIndent = 18, kCallPad = 14, kCallHeader = 38;

} // namespace

MessageItem::MessageItem(const Message &message)
    : m_message(message)
    , m_call(callRecordOf(message))
{}

void MessageItem::setMessage(const Message &message)
{
    const bool grew = message.text.startsWith(m_message.text) && message.role == m_message.role;
    const bool same = grew && message.text.size() == m_message.text.size();
    m_message = message;
    m_call = callRecordOf(message);
    if (m_rows.empty()) {
        estimate();
        return;
    }
    if (!same) {
        std::vector<Part> old;
        if (grew)
            old = std::move(m_parts);
        m_parts.clear();
        const QString references = m_split.references;
        split();
        // A new address concerns all that may refer to it.
        for (Part &part : old) {
            if (m_split.references != references && part.section.kind == Section::Kind::Markdown &&
                QStringView(m_message.text)
                    .mid(part.section.start, part.section.length)
                    .contains(QLatin1Char('['))) {
                part.rendered.reset();
                part.measured = false;
            }
        }
        // A section with the same extent has the same text; the last one may still have grown.
        for (size_t i = 0;
             i < m_parts.size() && i < old.size() && m_parts[i].section == old[i].section; ++i)
            m_parts[i] = std::move(old[i]);
        m_documents = int(std::count_if(m_parts.begin(), m_parts.end(),
                                        [](const Part &p) { return p.rendered.has_value(); }));
    }
    buildRows();
}

void MessageItem::split()
{
    const TextStyle style = m_plain      ? TextStyle::PlainText
                            : isCall()   ? TextStyle::Result
                            : fromUser() ? TextStyle::Verbatim
                                         : TextStyle::Reply;
    m_split = splitMessage(m_message.text, style, partsOf(m_message), folded());
    m_parts.clear();
    m_parts.reserve(size_t(m_split.sections.size()));
    const QFontMetricsF metrics(Theme::font(1.0));
    for (const Section &section : m_split.sections)
        m_parts.push_back(
            {.section = section,
             .height = estimateOf(section, metrics.averageCharWidth(), metrics.lineSpacing() * 1.3),
             .measured = false,
             .rendered = {}});

    if (m_message.state == Message::State::Streaming && m_split.reasoningOpen &&
        !m_thinking.isValid())
        m_thinking.start();
    if (m_split.hasReasoning && !m_split.reasoningOpen && m_thinking.isValid() &&
        m_thoughtSeconds < 0)
        m_thoughtSeconds = double(m_thinking.elapsed()) / 1000;
}

void MessageItem::setWidth(double viewportWidth)
{
    if (viewportWidth == m_width)
        return;
    m_width = viewportWidth;
    for (Part &part : m_parts)
        part.measured = false;
    if (m_rows.empty())
        estimate();
    else
        buildRows();
}

void MessageItem::setDivider(bool shown)
{
    if (m_divider == shown)
        return;
    m_divider = shown;
    if (m_rows.empty())
        estimate();
    else
        buildRows();
}

void MessageItem::setCallsBelow(bool below)
{
    if (std::exchange(m_callsBelow, below) != below && !m_rows.empty())
        buildRows();
}

void MessageItem::setEditorHeight(double height)
{
    m_editorHeight = height;
    buildRows();
}

void MessageItem::toggleReasoning()
{
    m_reasoningShown = !m_reasoningShown;
    buildRows();
}

bool MessageItem::folded() const
{
    return fromUser() && !m_unfolded && m_message.text.size() <= kLongMessage;
}

void MessageItem::showAll()
{
    if (folded())
        m_unfolded = true;
    else
        m_plain = true;
    m_documents = 0;
    split();
    buildRows();
}

void MessageItem::restyle()
{
    m_documents = 0;
    for (Part &part : m_parts) {
        part.rendered.reset();
        part.measured = false;
    }
    if (!m_rows.empty())
        buildRows();
    else
        estimate();
}

void MessageItem::release()
{
    for (Part &part : m_parts)
        part.rendered.reset();
    m_documents = 0;
}

QRectF MessageItem::columnRect() const
{
    const double width =
        std::max(120.0, std::min<double>(Theme::kTextWidth, m_width - 2 * kSideMargin));
    return QRectF((m_width - width) / 2, 0, width, 0);
}

double MessageItem::textWidth(const Section &section) const
{
    const double column = columnRect().width();
    if (fromUser())
        return std::floor(std::max(column * 0.82, std::min(column, 320.0)) - 2 * kBubblePadX);
    if (isCall())
        return column - 2 * kCallPad - (section.reasoning ? kReasoningIndent : 0);
    return section.reasoning ? column - kReasoningIndent : column;
}

double MessageItem::estimateOf(const Section &section, double charWidth, double lineHeight) const
{
    const double perLine = std::max(10.0, textWidth(section) / charWidth);
    const auto breaks =
        QStringView(m_message.text).mid(section.start, section.length).count(QLatin1Char('\n'));
    const double lines = std::ceil(double(section.length) / perLine) + double(breaks);
    return std::max(1.0, lines) * lineHeight;
}

void MessageItem::estimate()
{
    if (m_width <= 0)
        return;
    static const double charWidth = 7.5; // good enough until the message comes into view
    const double length = double(std::min<qsizetype>(m_message.text.size(), kShownOfLong));
    const double lines = std::ceil(length * charWidth / columnRect().width()) + 1;
    m_height = lines * 22 + 70 + (m_divider ? 36 : 0);
}

const std::vector<MessageItem::Row> &MessageItem::rows()
{
    if (m_rows.empty()) {
        split();
        buildRows();
    }
    return m_rows;
}

void MessageItem::buildRows()
{
    if (m_rows.empty() && m_parts.empty() && !m_message.text.isEmpty())
        split();
    m_rows.clear();
    const auto add = [this](RowKind kind, double height) {
        m_rows.push_back({.kind = kind, .height = height});
    };
    const QFontMetricsF caption(Theme::font(0.85));
    if (m_divider)
        add(RowKind::Divider, caption.height() + 22);
    add(RowKind::Gap, isCall() ? 2 : 6);
    if (isCall())
        add(RowKind::CallHeader, kCallHeader);
    else if (!fromUser())
        add(RowKind::Caption, caption.height() + 8);

    if (m_editorHeight > 0) {
        add(RowKind::Editor, m_editorHeight);
        placeRows();
        return;
    }
    const double reasoningHeader = QFontMetricsF(Theme::font(0.92)).height() + 20;
    if (m_split.hasReasoning && !isCall())
        add(RowKind::ReasoningHeader, reasoningHeader);
    if (fromUser())
        add(RowKind::Gap, kBubbleTop);
    bool first = true, resultBegun = false;
    for (int i = 0; i < int(m_parts.size()); ++i) {
        const Part &part = m_parts[size_t(i)];
        if (isCall() && part.section.reasoning && !std::exchange(resultBegun, true)) {
            add(RowKind::Gap, kSectionGap);
            add(RowKind::ReasoningHeader, reasoningHeader);
        }
        if (part.section.reasoning && !m_reasoningShown)
            continue;
        if (m_callsBelow && !part.section.call.isEmpty())
            continue;
        const double gap = first || part.section.continued || m_plain ? 0 : kSectionGap;
        m_rows.push_back({.kind = RowKind::Section,
                          .height = part.height + gap,
                          .section = i,
                          .gap = gap,
                          .measured = part.measured});
        first = false;
    }
    if (isCall())
        add(RowKind::Gap, kSectionGap);
    if (m_split.cut)
        add(RowKind::ShowAll, QFontMetricsF(Theme::font(0.92)).height() + 26);
    if (fromUser())
        add(RowKind::Gap, kBubbleBottom);
    if (m_message.state == Message::State::Streaming && first)
        add(RowKind::Waiting, 30);
    if (!noticeText().isEmpty()) {
        const QFontMetricsF metrics(Theme::font(0.92));
        const QRectF bounds = metrics.boundingRect(QRectF(0, 0, columnRect().width() - 40, 1e5),
                                                   Qt::TextWordWrap, noticeText());
        add(RowKind::Notice, bounds.height() + 22);
    }
    add(RowKind::Footer, kFooter);
    placeRows();
}

void MessageItem::placeRows()
{
    double y = 0;
    for (Row &row : m_rows) {
        row.top = y;
        y += row.height;
    }
    m_height = y;
}

RenderedSection &MessageItem::rendered(int section)
{
    Part &part = m_parts[size_t(section)];
    if (!part.rendered) {
        const QStringView text =
            QStringView(m_message.text).mid(part.section.start, part.section.length);
        part.rendered = renderSection(part.section, text, m_split.references);
        layOutSection(*part.rendered, textWidth(part.section));
        ++m_documents;
    } else if (part.rendered->document->textWidth() != textWidth(part.section)) {
        layOutSection(*part.rendered, textWidth(part.section));
    }
    return *part.rendered;
}

bool MessageItem::measure(double from, double to)
{
    rows();
    bool changed = false;
    for (size_t i = 0; i < m_rows.size(); ++i) {
        Row &row = m_rows[i];
        if (row.top > to)
            break;
        if (row.kind != RowKind::Section || row.top + row.height < from)
            continue;
        Part &part = m_parts[size_t(row.section)];
        const bool stale =
            !part.rendered || part.rendered->document->textWidth() != textWidth(part.section);
        if (part.measured && !stale)
            continue;
        const double height = std::ceil(rendered(row.section).height());
        part.measured = row.measured = true;
        if (height != part.height) {
            part.height = height;
            row.height = height + row.gap;
            changed = true;
            placeRows();
        }
    }
    // A short message of one's own gets a bubble of its own width.
    m_bubble = 0;
    if (fromUser() && m_parts.size() == 1 && m_parts[0].rendered &&
        m_parts[0].section.kind == Section::Kind::Plain) {
        QTextDocument &document = *m_parts[0].rendered->document;
        const double width = std::ceil(document.idealWidth());
        m_bubble = width + 2 * kBubblePadX;
        document.setTextWidth(width); // what is written from right to left begins at its edge
    }
    keepNear(from, to);
    return changed;
}

/// A message of many megabytes has thousands of sections: only those near the viewport keep
/// documents.
void MessageItem::keepNear(double from, double to)
{
    constexpr double kNear = 3000;
    if (m_documents <= 48)
        return;
    for (const Row &row : m_rows) {
        if (row.kind != RowKind::Section ||
            (row.top < to + kNear && row.top + row.height > from - kNear))
            continue;
        Part &part = m_parts[size_t(row.section)];
        if (part.rendered) {
            part.rendered.reset();
            --m_documents;
        }
    }
}

const MessageItem::Row *MessageItem::rowOf(int section) const
{
    for (const Row &row : m_rows) {
        if (row.kind == RowKind::Section && row.section == section)
            return &row;
    }
    return nullptr;
}

const MessageItem::Row *MessageItem::rowAt(double y) const
{
    const auto after =
        std::upper_bound(m_rows.begin(), m_rows.end(), y,
                         [](double value, const Row &row) { return value < row.top; });
    return after == m_rows.begin() ? nullptr : &*std::prev(after);
}

/// Of one's own message; its height is the column's.
QRectF MessageItem::bubbleRect() const
{
    const QRectF column = columnRect();
    double width = m_bubble;
    if (width <= 0)
        width =
            (m_parts.empty() ? column.width() : textWidth(m_parts[0].section)) + 2 * kBubblePadX;
    return mirrored(column, QRectF(column.right() - width, column.top(), width, column.height()));
}

QRectF MessageItem::partRect(int section) const
{
    const Row *row = rowOf(section);
    if (!row)
        return {};
    const QRectF column = columnRect();
    const Section &what = m_parts[size_t(section)].section;
    const double width = textWidth(what);
    const double left =
        column.left() + (what.reasoning ? kReasoningIndent : 0) + (isCall() ? kCallPad : 0);
    const QRectF place(left, row->top + row->gap, width, row->height - row->gap);
    if (!fromUser())
        return mirrored(column, place);
    // The document is as wide as a long message would be, the bubble as its text.
    return QRectF(bubbleRect().left() + kBubblePadX, place.top(), width, place.height());
}

QRectF MessageItem::contentRect() const
{
    const QRectF column = columnRect();
    return QRectF(column.left(), 0, column.width(), m_height);
}

QRectF MessageItem::footerRect()
{
    const Row &row = rows().back();
    const QRectF column = columnRect();
    return QRectF(column.left(), row.top, column.width(),
                  row.kind == RowKind::Footer ? row.height : 0);
}

QRectF MessageItem::editorRect()
{
    for (const Row &row : rows()) {
        if (row.kind == RowKind::Editor)
            return QRectF(columnRect().left(), row.top, columnRect().width(), row.height);
    }
    return {};
}

} // namespace fireside
