#include "ui/style/text_fields.h"

#include "ui/style/icons.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QToolButton>

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

void LineField::addClearButton(const QString &name)
{
    QAction *clear = addAction(icon(IconName::Close, IconTint::Muted), TrailingPosition);
    clear->setText(name);
    clear->setToolTip(name);
    const auto show = [this, clear] { clear->setVisible(!text().isEmpty()); };
    connect(this, &QLineEdit::textChanged, clear, show);
    connect(clear, &QAction::triggered, this, &QLineEdit::clear);
    show();
}

void LineField::addSearchIcon()
{
    const QAction *action = addAction(icon(IconName::Search, IconTint::Muted), LeadingPosition);
    for (QToolButton *button : findChildren<QToolButton *>()) {
        if (button->defaultAction() == action)
            button->setAccessibleName(accessibleName());
    }
}

bool LineField::event(QEvent *event)
{
    // On some desktops these go to the line's end and delete what is behind the cursor; here they
    // are the window's keys for the message and the search.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->modifiers() == Qt::ControlModifier &&
            (key->key() == Qt::Key_E || key->key() == Qt::Key_K)) {
            event->ignore();
            return false;
        }
    }
    return QLineEdit::event(event);
}

void LineField::keyPressEvent(QKeyEvent *event)
{
    if (!event->matches(QKeySequence::Paste) || !QGuiApplication::clipboard()->text().isEmpty())
        QLineEdit::keyPressEvent(event);
}

} // namespace fireside
