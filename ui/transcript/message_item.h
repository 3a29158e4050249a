#pragma once
#include "app/chat/call_messages.h"
#include "app/chat/conversation.h"
#include "ui/transcript/message_sections.h"
#include "ui/transcript/section_painter.h"

#include <QElapsedTimer>
#include <QRectF>

#include <map>
#include <optional>
#include <vector>

class QPainter;

namespace fireside {

/// A place in a message's visible text.
struct TextPosition
{
    int section = 0, offset = 0;
    auto operator<=>(const TextPosition &) const = default;
};

/// One message in the transcript: a column of rows whose heights are estimated until they come into
/// view. Coordinates are relative to the message's top and the viewport's left edge, in px.
class MessageItem
{
public:
    enum class RowKind {
        Divider, // "the model no longer sees the messages above"
        Caption, // who speaks
        Gap,
        ReasoningHeader,
        CallHeader, // which tool is called, and how it fares
        Section,
        ShowAll,
        Waiting, // no text yet
        Notice,  // stopped or failed
        Editor,
        Footer, // room for the buttons
    };
    struct Row
    {
        RowKind kind = RowKind::Gap;
        double top = 0, height = 0;
        int section = -1;
        double gap = 0; // of the height, above the content
        bool measured = true;
    };
    struct Hit
    {
        enum Kind { Nothing, Text, Link, CopyCode, Reasoning, ShowAll, SideBar };
        Kind kind = Nothing;
        TextPosition position;
        int codeBlock = -1;
        QString address;    // Link
        int wideBlock = -1; // SideBar: which of the section
    };
    /// What only the view knows when it paints.
    struct Look
    {
        std::optional<std::pair<TextPosition, TextPosition>> selection;
        Hit hovered;
        Hit copied;
        bool focused = false;
        int phase = 0; // of the waiting dots
        QString waiting;
        bool branches = false;  // "2 of 3" without the buttons
        QStringList found = {}; // words to mark
        bool unseen = false;    // by the model
    };

    explicit MessageItem(const Message &message);

    const Message &message() const { return m_message; }
    bool fromUser() const { return m_message.role == QLatin1String("user"); }
    bool isCall() const { return m_call.has_value(); }
    /// Of a reply whose calls have messages of their own: they are shown there.
    void setCallsBelow(bool below);
    /// Text that only grew keeps the sections that are complete.
    void setMessage(const Message &message);
    void setWidth(double viewportWidth);
    void setDivider(bool shown);
    void setEditorHeight(double height); // 0: not being edited
    void toggleReasoning();
    void showAll(); // of a message that is folded or cut
    bool folded() const;
    bool hasReasoning() const { return m_split.hasReasoning; }
    bool reasoningShown() const { return m_reasoningShown; }

    double height() const { return m_height; }
    const std::vector<Row> &rows();
    /// Lays out the rows between two heights. True when the item's height changed.
    bool measure(double from, double to);
    bool laidOut() const { return m_documents > 0; }
    void release(); // drops the documents, keeps the heights
    void restyle(); // theme or font changed: everything is made anew

    void paint(QPainter &painter, const QRectF &clip, const Look &look);
    Hit hitTest(QPointF point);
    /// The nearest place in the text, also for points outside it.
    TextPosition positionAt(QPointF point);
    std::pair<TextPosition, TextPosition> wordAt(TextPosition position);
    std::pair<TextPosition, TextPosition> everything();
    /// Where the word at a place begins in the message's source; nullopt: there is none.
    std::optional<qsizetype> sourceOf(TextPosition position);
    struct Found
    {
        double top = 0; // of its line
        TextPosition from, to;
    };
    /// The first place of one of the words, first outside of thoughts; thoughts are unfolded when
    /// only they have it.
    Found findWords(const QStringList &words);
    /// Place `nth` of the words, counted in the source of the whole message.
    Found findPlace(const QStringList &words, int nth);
    /// Moves the wide block at a height, or all of them (NaN), sideways. False: there is none.
    bool moveSideways(double y, double by);
    /// Brings the middle of a wide block's thumb to `x`.
    void dragSideBar(const Hit &bar, double x);
    QString textBetween(TextPosition from, TextPosition to);
    /// The same in the message's own Markdown, in whole words.
    QString sourceBetween(TextPosition from, TextPosition to);
    QString codeText(int section, int codeBlock); // the whole block, over all its sections

    QRectF footerRect();
    QRectF editorRect();
    QRectF contentRect() const; // the column, whole height
    QString speaker() const;
    QString noticeText() const;
    QString reasoningTitle() const;
    QString callTitle() const; // of a call: the tool
    QString callState() const; // and what became of it

    static constexpr double kSideMargin = 28, kFooter = 32;
    static constexpr double kBubblePadX = 16, kBubbleTop = 12, kBubbleBottom = 9;

private:
    struct Part
    {
        Section section;
        double height = 0; // of the document, px
        bool measured = false;
        std::optional<RenderedSection> rendered;
    };

    void split();
    void buildRows();
    void placeRows();
    void estimate();
    double estimateOf(const Section &section, double charWidth, double lineHeight) const;
    void keepNear(double from, double to);
    // message_item_wide.cpp
    std::pair<qsizetype, int> wideKey(int section, const WideBlock &block) const;
    QList<SideShift> shiftsOf(int section);
    void setOffset(int section, int block, double offset);
    QPointF inDocument(int section, QPointF local);
    void reveal(int section, double x, double y);
    Found placeIn(int section, const QStringList &words, int nth);
    QString sourceIn(int section, int from, int to);
    std::optional<qsizetype> wordIn(int section, int at, bool last);
    RenderedSection &rendered(int section);
    QRectF columnRect() const; // x and width only
    QRectF bubbleRect() const;
    QRectF partRect(int section) const; // where its document is painted
    double textWidth(const Section &section) const;
    const Row *rowOf(int section) const;
    const Row *rowAt(double y) const;

    // message_item_paint.cpp
    void paintFocusMark(QPainter &painter);
    void paintBubble(QPainter &painter);
    void paintRow(QPainter &painter, const Row &row, const QRectF &clip, const Look &look);
    void paintCaption(QPainter &painter, const QRectF &rect);
    void paintCallCard(QPainter &painter);
    void paintCallHeader(QPainter &painter, const QRectF &rect, int phase);
    void paintReasoningHeader(QPainter &painter, const QRectF &rect, bool hovered);
    void paintSectionRow(QPainter &painter, const Row &row, const QRectF &clip, const Look &look);
    void paintShowAll(QPainter &painter, const QRectF &rect, bool hovered);
    void paintNotice(QPainter &painter, const QRectF &rect);
    void paintBranches(QPainter &painter, const QRectF &rect);

    Message m_message;
    std::optional<CallRecord> m_call; // of a call
    SplitMessage m_split;
    std::vector<Part> m_parts;
    std::vector<Row> m_rows; // empty: not split yet
    double m_width = 0, m_height = 0, m_bubble = 0;
    double m_editorHeight = 0;
    bool m_divider = false, m_reasoningShown = false, m_plain = false, m_unfolded = false;
    bool m_callsBelow = false;
    int m_documents = 0;
    std::map<std::pair<qsizetype, int>, double> m_offsets; // of wide blocks that were moved
    QElapsedTimer m_thinking;
    double m_thoughtSeconds = -1;
};

} // namespace fireside
