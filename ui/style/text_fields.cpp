#include "ui/style/text_fields.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>

namespace fireside {

bool PlainTextField::canInsertFromMimeData(const QMimeData *source) const
{
    return source && QPlainTextEdit::canInsertFromMimeData(source);
}

void PlainTextField::insertFromMimeData(const QMimeData *source)
{
    if (source && source->hasText())
        QPlainTextEdit::insertFromMimeData(source);
}

void LineField::keyPressEvent(QKeyEvent *event)
{
    if (!event->matches(QKeySequence::Paste) || !QGuiApplication::clipboard()->text().isEmpty())
        QLineEdit::keyPressEvent(event);
}

} // namespace fireside
