#include "ui/chat/prompt_popup.h"

#include <QKeyEvent>
#include <QPlainTextEdit>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kPopupRows = 8, kPopupLetters = 60, kShownTextLetters = 70;
constexpr qsizetype kLongestCommand = 60;

} // namespace

PromptPopup::PromptPopup(PromptStore &store, QPlainTextEdit &field, QWidget &window)
    : QListWidget(&window)
    , m_store(store)
    , m_field(field)
{
    setObjectName(QStringLiteral("promptPopup"));
    setAccessibleName(tr("Prompts"));
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTextElideMode(Qt::ElideRight);
    setUniformItemSizes(true);
    hide();
    m_field.installEventFilter(this);
    window.installEventFilter(this);
    connect(&m_field, &QPlainTextEdit::textChanged, this, &PromptPopup::follow);
    connect(&m_store, &PromptStore::changed, this, &PromptPopup::follow);
    connect(this, &QListWidget::itemClicked, this,
            [this](QListWidgetItem *item) { choose(row(item)); });
    connect(this, &QListWidget::currentTextChanged, &m_field, [this](const QString &text) {
        m_field.setAccessibleDescription(text); // what Enter would take
    });
}

void PromptPopup::follow()
{
    const QString text = m_field.toPlainText();
    const bool command = text.startsWith(QLatin1Char('/')) && text.size() <= kLongestCommand &&
                         !text.contains(QLatin1Char('\n'));
    m_closed &= command;
    m_shown = command && !m_closed ? m_store.matching(text.mid(1)) : QList<Prompt>();
    if (!command || m_closed || (m_shown.isEmpty() && text.size() > 1)) {
        hide();
        m_field.setAccessibleDescription({});
        return;
    }
    clear();
    for (const Prompt &prompt : std::as_const(m_shown))
        addItem(QStringLiteral("%1 — %2").arg(
            prompt.system ? tr("%1 (system prompt)").arg(prompt.name) : prompt.name,
            prompt.text.left(kShownTextLetters).simplified()));
    addItem(m_shown.isEmpty() ? tr("No prompts yet: write one…") : tr("All prompts…"));
    setCurrentRow(0);
    place();
    show();
    raise();
}

void PromptPopup::place()
{
    const int rows = std::min(count(), kPopupRows);
    const int height = rows * std::max(sizeHintForRow(0), 1) + 2 * frameWidth();
    const QPoint corner = m_field.mapTo(parentWidget(), QPoint(0, 0));
    const int width = std::min({m_field.width(), kPopupLetters * fontMetrics().averageCharWidth(),
                                parentWidget()->width() - corner.x()});
    constexpr int kGap = 12;
    const int top = std::max(corner.y() - height - kGap, 0);
    const int left = isRightToLeft() ? corner.x() + m_field.width() - width : corner.x();
    setGeometry(left, top, width, std::min(height, corner.y()));
}

bool PromptPopup::eventFilter(QObject *watched, QEvent *event)
{
    if (isHidden())
        return false;
    if (watched != &m_field) {
        if (event->type() == QEvent::Resize)
            place();
        return false;
    }
    if (event->type() == QEvent::FocusOut) {
        if (static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason)
            hide();
        return false;
    }
    if (event->type() == QEvent::ShortcutOverride) { // Esc would stop the reply
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Escape)
            event->accept();
        return false;
    }
    return event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent *>(event)->key());
}

bool PromptPopup::takeKey(int key)
{
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        setCurrentRow((currentRow() + (key == Qt::Key_Up ? count() - 1 : 1)) % count());
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab:
        choose(currentRow());
        return true;
    case Qt::Key_Escape:
        m_closed = true;
        follow();
        return true;
    default:
        return false;
    }
}

void PromptPopup::choose(int row)
{
    hide();
    if (row >= 0 && row < m_shown.size())
        emit chosen(Prompt(m_shown[row]));
    else
        emit libraryRequested();
}

} // namespace fireside
