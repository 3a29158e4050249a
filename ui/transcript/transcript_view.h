#pragma once
#include "app/chat/chat_place.h"
#include "ui/transcript/message_item.h"
#include "ui/transcript/spoken_sentences.h"

#include <QAbstractScrollArea>
#include <QBasicTimer>
#include <QList>
#include <QSet>

#include <functional>
#include <memory>
#include <vector>

class QMenu;
class QPushButton;

namespace fireside {

class MessageEditor;
class MessageToolbar;

/// The messages of a conversation. Lays out only what is visible (heights above and below are
/// estimates until they come into view), re-renders only the end of a streaming reply and that
/// thirty times a second at most, and keeps to the bottom unless the user scrolled up.
class TranscriptView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TranscriptView(QWidget *parent = nullptr);
    ~TranscriptView() override;

    /// keepPlace: another branch of the same conversation, so what stays in view does not move.
    void setMessages(const QList<Message> &messages, bool keepPlace = false);
    /// What is in view of these messages, and what is written of a new version of one of them.
    ChatPlace place();
    void setPlace(const ChatPlace &place);
    void appendMessage(const Message &message);
    void updateMessage(int index, const Message &message);
    void setFirstSeen(int index);             // 0: the model sees everything
    void setReplying(bool replying);          // no edits meanwhile
    void setWaitingText(const QString &text); // beside the dots, while a reply has no text yet

    int count() const { return int(m_items.size()); }
    const Message &messageAt(int index) const { return m_items[size_t(index)]->message(); }
    QRect messageRect(int index) const; // in the viewport
    int focusedMessage() const { return m_focused; }
    void focusMessage(int index);
    bool followsEnd() const { return m_follow; }
    void scrollToEnd();
    /// Marks words searched for, and brings the first one in the message `id` into view (0: none).
    void showFound(const QStringList &words, qint64 id);
    /// Marks a text everywhere, and chooses place `nth` of it in a message (−1: none).
    void showPlace(const QString &text, int message, int nth);
    void editMessage(int index);
    bool editing() const { return m_editor != nullptr; }
    enum class CopyFormat { Plain, Markdown, Html };
    QString selectedText() const;
    void copySelection(); // or the focused message; as plain text, and as HTML for who takes it
    void copyAs(CopyFormat format, int message);           // the selection, or else this message
    void setCopyNames(bool names) { m_copyNames = names; } // speakers stand before their words
    int laidOutMessages() const { return int(m_live.size()); }

signals:
    void placeChanged();
    void editAccepted(qint64 messageId, const QString &text);
    void regenerateRequested();
    void continueRequested();
    void siblingRequested(qint64 messageId, int step);
    void linkActivated(const QString &address);
    void detailsRequested(qint64 messageId); // how it was made
    /// What else might stand at a place of a reply's text.
    void choicesRequested(qint64 messageId, qsizetype position, QPoint globalPlace);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void changeEvent(QEvent *event) override;
    void timerEvent(QTimerEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Anchor
    {
        int item = -1;
        size_t row = 0;
        double offset = 0;
    };
    struct Place
    {
        int item = 0;
        TextPosition position;
        auto operator<=>(const Place &) const = default;
    };

    // transcript_view.cpp
    void layOut();
    void placeItems(int from = 0);
    int itemAt(double y) const; // −1: none
    void releaseFarItems(int first, int last);
    void noteCalls(int from);
    void flushStream();
    MessageItem::Look lookOf(int index) const;
    double scrollTop() const;

    // transcript_place.cpp
    Anchor currentAnchor();
    double anchorTop(const Anchor &anchor);
    Anchor anchorOf(const ChatPlace &place);
    void moveTo(const Anchor &anchor);
    int indexOf(qint64 messageId) const; // −1: it is not here

    // transcript_overlays.cpp
    void placeOverlays();
    void placeJump();
    int toolbarTarget() const;
    bool editable(int index) const;
    void openEditor(int index);
    void closeEditor();
    void forgetEdit();

    // transcript_input.cpp
    Place placeAt(QPoint point);
    MessageItem::Hit hitAt(QPoint point, int *item);
    void setHovered(int item, const MessageItem::Hit &hit);
    void refreshHovered();
    void activate(int item, const MessageItem::Hit &hit);
    void moveFocus(int step);
    void moveSideways(int item, double y, double by);
    void scrollTo(int item);
    void bringIntoView(int item, const std::function<MessageItem::Found()> &find);

    // transcript_menu.cpp
    void addReasoningAction(QMenu &menu, int item);
    void addReplyActions(QMenu &menu, int item, qsizetype choice, QPoint at);
    void addVersionActions(QMenu &menu, int item);
    qsizetype choicePlace(int item, const MessageItem::Hit &hit);
    void askForChoices();

    // transcript_copy.cpp
    void addCopyActions(QMenu &menu, int item);
    void copyMessage(int index);
    void clearSelection();
    void selectMessages(int first, int last);
    void selectMore();
    void extendSelection(int step);
    QStringList selectedParts(CopyFormat format) const;
    static QString withName(const MessageItem &item, const QString &text, CopyFormat format,
                            bool names);
    bool hasSelection() const { return m_selectionStart != m_selectionEnd; }

    std::vector<std::unique_ptr<MessageItem>> m_items;
    std::vector<double> m_tops; // one more than items: the last is the whole height
    QSet<int> m_live;           // items that hold documents
    int m_firstSeen = 0;
    bool m_replying = false, m_follow = true, m_adjusting = false, m_layingOut = false,
         m_placingJump = false;
    QString m_waiting;

    int m_streaming = -1; // the message whose text waits in m_pending
    Message m_pending;
    QBasicTimer m_streamTimer, m_dotsTimer, m_dragTimer, m_copiedTimer, m_restTimer;
    int m_phase = 0;
    int m_spokenOf = -1;      // the reply that is being written
    SpokenSentences m_spoken; // of that

    int m_focused = -1, m_hoveredItem = -1, m_copiedItem = -1, m_pressedItem = -1;
    MessageItem::Hit m_hovered, m_copied, m_pressed;
    bool m_selecting = false, m_copyNames = false;
    int m_anchor = -1; // message that a selection by keys began with
    Place m_selectionStart, m_selectionEnd;
    QStringList m_found;
    QPoint m_dragPoint, m_restPoint, m_pointer;
    bool m_pointerInside = false; // it moved there last

    MessageToolbar *m_toolbar;
    int m_toolbarItem = -1;
    MessageEditor *m_editor = nullptr;
    int m_editedItem = -1;
    ChatPlace m_restored;  // until somebody moves on
    qint64 m_keptEdit = 0; // message whose new version was not sent; 0: none
    QString m_keptText;
    QPushButton *m_jump;
};

} // namespace fireside
