#include "ui/style/text_fields.h"

#include "app/chat/long_lines.h"
#include "ui/style/icons.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QTextOption>
#include <QToolButton>
#include <QToolTip>

namespace fireside {

PlainTextField::PlainTextField(QWidget *parent)
    : QPlainTextEdit(parent)
{
    connect(this, &QPlainTextEdit::textChanged, this, &PlainTextField::turn);
    turn();
}

/// Text stands where the window begins, as in a field of one line, and so does the cursor where
/// nothing is written yet: by itself it is always at the left.
void PlainTextField::turn()
{
    const bool rightToLeft = layoutDirection() == Qt::RightToLeft;
    const Qt::Alignment side = (rightToLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignAbsolute;
    const Qt::LayoutDirection direction =
        rightToLeft && document()->isEmpty() ? Qt::RightToLeft : Qt::LayoutDirectionAuto;
    QTextOption option = document()->defaultTextOption();
    if (option.textDirection() == direction && option.alignment() == side)
        return;
    option.setTextDirection(direction);
    option.setAlignment(side);
    document()->setDefaultTextOption(option);
}

void PlainTextField::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::LayoutDirectionChange)
        turn();
}

bool PlainTextField::canInsertFromMimeData(const QMimeData *source) const
{
    return source && QPlainTextEdit::canInsertFromMimeData(source);
}

void PlainTextField::insertFromMimeData(const QMimeData *source)
{
    if (!source || !source->hasText())
        return;
    if (!hasLongLine(source->text()))
        return QPlainTextEdit::insertFromMimeData(source);
    insertPlainText(withLongLinesBroken(source->text()));
    ensureCursorVisible();
    QToolTip::showText(mapToGlobal(cursorRect().bottomLeft()),
                       tr("Very long lines were broken into several."), this);
}

LineField::LineField(QWidget *parent)
    : QLineEdit(parent)
{
    setMaxLength(kMaxLength);
}

void LineField::nameButton(const QAction *action, const QString &name)
{
    for (QToolButton *button : findChildren<QToolButton *>()) {
        if (button->defaultAction() == action)
            button->setAccessibleName(name);
    }
}

void LineField::addClearButton(const QString &name)
{
    QAction *clear = addAction(icon(IconName::Close, IconTint::Muted), TrailingPosition);
    nameButton(clear, name);
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
    nameButton(action, accessibleName());
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
