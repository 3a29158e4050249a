#include "ui/chat/message_field.h"

#include "app/chat/long_lines.h"
#include "ui/chat/attachment_list.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QInputMethod>
#include <QInputMethodEvent>
#include <QMimeData>
#include <QTextBlock>
#include <QTextLayout>

namespace fireside {

MessageField::MessageField(AttachmentList &files, QWidget *parent)
    : PlainTextField(parent)
    , m_files(files)
{
    connect(this, &QPlainTextEdit::textChanged, this, &MessageField::moveLongLine);
}

QString MessageField::message() const
{
    return ComposedText{toPlainText(), m_files.files()}.whole();
}

void MessageField::setMessage(const QString &message)
{
    ComposedText composed = ComposedText::of(message);
    QStringList names;
    for (const TextAttachment &file : std::as_const(composed.files))
        names.append(file.name);
    const ComposedText split = withLongLinesAsFiles(composed.words, names);
    m_files.setFiles(split.files + composed.files);
    setPlainText(split.words);
    moveCursor(QTextCursor::End);
}

void MessageField::insertText(const QString &text)
{
    const ComposedText split = withLongLinesAsFiles(text, m_files.names());
    if (!split.words.isEmpty() || split.files.isEmpty())
        insertPlainText(split.words);
    for (const TextAttachment &file : split.files)
        m_files.add(file);
}

void MessageField::insertFromMimeData(const QMimeData *source)
{
    if (source && source->hasText() && hasLongLine(source->text())) {
        insertText(source->text());
        ensureCursorVisible();
    } else {
        PlainTextField::insertFromMimeData(source);
    }
}

bool MessageField::isComposing() const
{
    return !textCursor().block().layout()->preeditAreaText().isEmpty();
}

void MessageField::commitComposition()
{
    if (!isComposing())
        return;
    if (hasFocus())
        QGuiApplication::inputMethod()->commit();
    // Some input methods do not, and none does for a field that has lost the focus.
    const QString left = textCursor().block().layout()->preeditAreaText();
    if (left.isEmpty())
        return;
    QInputMethodEvent event;
    event.setCommitString(left);
    QCoreApplication::sendEvent(this, &event);
    if (hasFocus())
        QGuiApplication::inputMethod()->reset();
}

void MessageField::inputMethodEvent(QInputMethodEvent *event)
{
    const QString committed = event->commitString();
    if (hasLongLine(committed)) {
        QInputMethodEvent rest(event->preeditString(), event->attributes());
        PlainTextField::inputMethodEvent(&rest);
        insertText(committed);
        event->accept();
    } else {
        PlainTextField::inputMethodEvent(event);
    }
    emit compositionChanged();
}

/// Typing and joined lines can make a line too long, too.
void MessageField::moveLongLine()
{
    const QTextBlock block = textCursor().block();
    const QString line = block.text();
    if (!isLongLine(line))
        return;
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    const QSignalBlocker once(this); // the text changes with the files, as one
    cursor.removeSelectedText();
    const TextAttachment file = withLongLinesAsFiles(line, m_files.names()).files.value(0);
    if (document()->characterCount() > 1)
        cursor.insertText(QStringLiteral("[%1]").arg(file.name));
    document()->clearUndoRedoStacks(); // undone, it would come back beside the file
    m_files.add(file);
}

} // namespace fireside
