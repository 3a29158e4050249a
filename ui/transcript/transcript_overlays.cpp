// What lies over the messages: the buttons of one, the editor, "Jump to latest".
#include "app/chat/chat_texts.h"
#include "ui/transcript/message_editor.h"
#include "ui/transcript/message_toolbar.h"
#include "ui/transcript/transcript_view.h"

#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>

namespace fireside {

int TranscriptView::toolbarTarget() const
{
    if (m_editor)
        return -1;
    if (m_hoveredItem >= 0)
        return m_hoveredItem;
    if (m_focused >= 0 && (hasFocus() || m_toolbar->isAncestorOf(focusWidget())))
        return m_focused;
    return count() - 1;
}

void TranscriptView::placeOverlays()
{
    const int target = toolbarTarget();
    const bool streaming = target >= 0 && messageAt(target).state == Message::State::Streaming;
    if (target < 0 || streaming) {
        m_toolbar->hide();
        m_toolbarItem = -1;
    } else {
        MessageItem &item = *m_items[size_t(target)];
        if (target != m_toolbarItem) {
            m_toolbarItem = target;
            const bool last = target == count() - 1;
            m_toolbar->showFor(
                item.message(),
                {.edit = item.fromUser() && !m_replying,
                 .regenerate = !item.fromUser() && last && !m_replying,
                 .goOn = last && !m_replying && !unfinishedAnswer(item.message()).isEmpty(),
                 .branches = !m_replying,
                 .stats = !item.fromUser(),
                 .details =
                     !item.fromUser() && !item.isCall() && !item.message().record.isEmpty()});
        }
        const QRectF footer = item.footerRect().translated(0, m_tops[size_t(target)] - scrollTop());
        m_toolbar->fitInto(int(footer.width()) + 8);
        const QSize size = m_toolbar->sizeHint().boundedTo(
            QSize(int(footer.width()) + 8, int(MessageItem::kFooter)));
        const bool atRight = item.fromUser() != isRightToLeft();
        const double left = atRight ? footer.right() - size.width() : footer.left() - 5;
        m_toolbar->setGeometry(int(left), int(footer.top()), size.width(), int(footer.height()));
        m_toolbar->show();
        m_toolbar->forgetPointer();
    }
    if (m_editor) {
        const QRectF place = m_items[size_t(m_editedItem)]->editorRect().translated(
            0, m_tops[size_t(m_editedItem)] - scrollTop());
        m_editor->setGeometry(place.toRect());
    }
    placeJump();
}

/// Below the messages, so that it covers none.
void TranscriptView::placeJump()
{
    constexpr int kAround = 6;
    if (m_placingJump)
        return; // its own room brought us here
    const QScopedValueRollback<bool> placing(m_placingJump, true);
    // What its own room hides does not count.
    const QScrollBar *bar = verticalScrollBar();
    const bool more = bar->maximum() - bar->value() > viewportMargins().bottom();
    m_jump->setVisible(!m_follow && more);
    m_jump->adjustSize();
    m_jump->move((width() - m_jump->width()) / 2, height() - m_jump->height() - kAround);
    const int room = m_jump->isHidden() ? 0 : m_jump->height() + 2 * kAround;
    if (viewportMargins().bottom() != room)
        setViewportMargins(0, 0, 0, room);
}

void TranscriptView::editMessage(int index)
{
    closeEditor();
    if (!editable(index))
        return;
    m_follow = false;
    m_restored = {};
    openEditor(index);
    scrollTo(index);
    m_editor->startEditing();
}

bool TranscriptView::editable(int index) const
{
    return index >= 0 && index < count() && !m_replying && m_items[size_t(index)]->fromUser();
}

/// With what was written there before and not sent.
void TranscriptView::openEditor(int index)
{
    closeEditor();
    if (!editable(index))
        return;
    m_editedItem = index;
    const Message &message = messageAt(index);
    m_editor = new MessageEditor(message.id == m_keptEdit ? m_keptText : message.text, viewport());
    const auto fit = [this] {
        m_items[size_t(m_editedItem)]->setEditorHeight(m_editor->wantedHeight());
        layOut();
    };
    connect(m_editor, &MessageEditor::wantedHeightChanged, this, [this, fit] {
        m_keptEdit = messageAt(m_editedItem).id;
        m_keptText = m_editor->text();
        fit();
    });
    connect(m_editor, &MessageEditor::cancelled, this, [this] {
        if (m_keptEdit == messageAt(m_editedItem).id)
            forgetEdit();
        closeEditor();
        setFocus();
    });
    connect(m_editor, &MessageEditor::accepted, this, [this](const QString &text) {
        if (m_replying)
            return; // it waits here
        const qint64 id = messageAt(m_editedItem).id;
        forgetEdit();
        closeEditor();
        emit editAccepted(id, text);
    });
    fit();
    m_editor->show();
}

void TranscriptView::forgetEdit()
{
    m_keptEdit = 0;
    m_keptText.clear();
}

void TranscriptView::closeEditor()
{
    if (!m_editor)
        return;
    m_editor->hide();
    m_editor->deleteLater(); // its own signal may have brought us here
    m_editor = nullptr;
    if (m_editedItem < count())
        m_items[size_t(m_editedItem)]->setEditorHeight(0);
    m_editedItem = -1;
    layOut();
}

} // namespace fireside
