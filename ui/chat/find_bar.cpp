#include "ui/chat/find_bar.h"

#include "ui/style/icons.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"
#include "ui/transcript/found_words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace fireside {

FindBar::FindBar(QWidget *parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Find in this chat"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 12, 8);
    row->setSpacing(4);
    m_field = new LineField;
    m_field->setPlaceholderText(tr("Find in this chat"));
    m_field->setAccessibleName(tr("Text to find in this chat"));
    m_field->addSearchIcon();
    row->addWidget(m_field, 1);
    m_count = new QLabel;
    m_count->setProperty("role", "muted");
    m_count->setMinimumWidth(
        m_count->fontMetrics().horizontalAdvance(QStringLiteral("9999 / 9999")));
    m_count->setAlignment(Qt::AlignCenter);
    row->addWidget(m_count);
    m_previous = addButton(tr("Previous place (Shift+F3)"));
    m_previous->setIcon(icon(IconName::Previous, IconTint::Muted));
    m_next = addButton(tr("Next place (F3)"));
    m_next->setIcon(icon(IconName::Next, IconTint::Muted));
    QToolButton *close = addButton(tr("Close (Esc)"));
    close->setIcon(icon(IconName::Close, IconTint::Muted));
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(close, &QToolButton::clicked, this, &FindBar::close);
    showCount();
    hide();
}

QToolButton *FindBar::addButton(const QString &name)
{
    auto *button = new QToolButton;
    button->setIconSize(QSize(16, 16));
    button->setToolTip(name);
    button->setAccessibleName(name);
    layout()->addWidget(button);
    return button;
}

void FindBar::open()
{
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
    search();
}

void FindBar::close()
{
    if (!isVisible())
        return;
    hide();
    emit closed();
}

void FindBar::setMessages(const QList<Message> &messages)
{
    m_messages = messages;
    if (!isVisible())
        return;
    collect();
    m_current = std::min(m_current, int(m_hits.size()) - 1);
    showCount();
}

void FindBar::collect()
{
    m_hits.clear();
    for (int i = 0; i < int(m_messages.size()); ++i) {
        const auto places = findWords(m_messages[i].text, {m_field->text()});
        for (int nth = 0; nth < int(places.size()); ++nth)
            m_hits.append({i, nth});
    }
}

/// The newest place first: that is where the reader is.
void FindBar::search()
{
    collect();
    m_current = int(m_hits.size());
    if (m_hits.isEmpty())
        emit found({}, -1, 0);
    else
        go(-1);
    showCount();
}

void FindBar::go(int step)
{
    if (m_hits.isEmpty())
        return;
    const int count = int(m_hits.size());
    m_current = (m_current + step + count) % count;
    showCount();
    emit found(m_field->text(), m_hits[m_current].first, m_hits[m_current].second);
}

void FindBar::next()
{
    go(+1);
}

void FindBar::previous()
{
    go(-1);
}

void FindBar::showCount()
{
    const QLocale locale;
    const bool any = !m_hits.isEmpty();
    m_previous->setEnabled(any);
    m_next->setEnabled(any);
    if (m_field->text().isEmpty())
        m_count->clear();
    else if (!any)
        m_count->setText(tr("Not found"));
    else
        m_count->setText(
            tr("%1 of %2").arg(locale.toString(m_current + 1), locale.toString(m_hits.size())));
    m_count->setAccessibleName(m_count->text());
}

void FindBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    update();
}

bool FindBar::event(QEvent *event)
{
    // Escape is also the window's "stop": here it closes the bar.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape)
        event->accept();
    return QWidget::event(event);
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape)
        close();
    else if (event->key() == Qt::Key_Up || (enter && (event->modifiers() & Qt::ShiftModifier)))
        previous();
    else if (event->key() == Qt::Key_Down || enter)
        next();
    else if (!event->text().isEmpty())
        event->accept(); // it is not the beginning of a message
    else
        QWidget::keyPressEvent(event);
}

void FindBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().sunken);
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().border);
}

} // namespace fireside
