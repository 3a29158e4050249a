#include "ui/transcript/message_editor.h"

#include "ui/chat/attachment_list.h"
#include "ui/chat/message_field.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

MessageEditor::MessageEditor(const QString &text, QWidget *parent)
    : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 8);
    m_attachments = new AttachmentList;
    column->addWidget(m_attachments);
    m_edit = new MessageField(*m_attachments);
    m_edit->setMessage(text);
    m_edit->setAccessibleName(tr("Edit message"));
    m_edit->setTabChangesFocus(true);
    m_edit->installEventFilter(this);
    column->addWidget(m_edit, 1);

    auto *row = new QHBoxLayout;
    row->addStretch();
    auto *cancel = new QPushButton(tr("Cancel"));
    m_send = new QPushButton(tr("Send new version"));
    m_send->setProperty("role", "primary");
    m_send->setToolTip(
        tr("The old version is kept: the arrows below the message switch between them"));
    row->addWidget(cancel);
    row->addWidget(m_send);
    column->addLayout(row);

    connect(cancel, &QPushButton::clicked, this, &MessageEditor::cancelled);
    connect(m_send, &QPushButton::clicked, this, &MessageEditor::accept);
    connect(m_edit, &QPlainTextEdit::textChanged, this, &MessageEditor::noteChange);
    connect(m_edit, &MessageField::compositionChanged, this, &MessageEditor::noteChange);
    connect(m_attachments, &AttachmentList::changed, this, &MessageEditor::noteChange);
}

void MessageEditor::noteChange()
{
    m_send->setEnabled(m_edit->isComposing() || !text().trimmed().isEmpty());
    emit wantedHeightChanged();
}

void MessageEditor::accept()
{
    m_edit->commitComposition();
    if (!text().trimmed().isEmpty())
        emit accepted(text());
}

QString MessageEditor::text() const
{
    return m_edit->message();
}

int MessageEditor::wantedHeight() const
{
    const int lines = std::clamp(int(m_edit->document()->size().height()), 2, 10);
    const int files = m_attachments->isHidden() ? 0 : m_attachments->sizeHint().height();
    return lines * m_edit->fontMetrics().lineSpacing() + 24 + 64 + files;
}

void MessageEditor::startEditing()
{
    m_edit->moveCursor(QTextCursor::End);
    m_edit->setFocus();
}

bool MessageEditor::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape) {
            emit cancelled();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            // As in the composer.
            if (key->modifiers() & (Qt::ShiftModifier | Qt::AltModifier))
                m_edit->insertPlainText(QStringLiteral("\n"));
            else
                accept();
            return true;
        }
    }
    // Escape is also the window's "stop": here it belongs to the editor.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fireside
