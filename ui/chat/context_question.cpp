#include "ui/chat/context_question.h"

#include "ui/backend/number_text.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

ContextQuestion::ContextQuestion(QWidget *parent)
    : QFrame(parent)
{
    setProperty("role", "card");
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(6);
    m_text = new QLabel;
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    column->addWidget(m_text);
    m_always = new QCheckBox(tr("&Always in this chat"));
    m_always->setObjectName(QStringLiteral("contextAlways"));
    m_buttons = new QWidget;
    m_buttons->setMinimumWidth(1); // not that of all buttons side by side
    m_grid = new QGridLayout(m_buttons);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(6);
    m_summarise =
        addButton(tr("&Summarise the oldest"), "contextSummarise",
                  tr("The model writes a summary, which stands in the chat and takes their place"));
    m_leaveOut = addButton(tr("&Leave out the oldest"), "contextLeaveOut",
                           tr("They stay in the chat; a line shows where the model's view begins"));
    m_larger = addButton(tr("&Reload with a larger context"), "contextLarger",
                         tr("The model is loaded again with more room, and then answers"));
    m_edit = addButton(tr("&Edit the message"), "contextEdit",
                       tr("Nothing is sent until the message is changed"));
    column->addWidget(m_buttons);
    column->addWidget(m_always);
    connect(m_summarise, &QPushButton::clicked, this,
            [this] { emit summariseChosen(m_always->isChecked()); });
    connect(m_leaveOut, &QPushButton::clicked, this,
            [this] { emit leaveOutChosen(m_always->isChecked()); });
    connect(m_larger, &QPushButton::clicked, this, [this] { emit largerChosen(m_tokens); });
    connect(m_edit, &QPushButton::clicked, this, &ContextQuestion::editChosen);
    hide();
}

QPushButton *ContextQuestion::addButton(const QString &text, const char *name, const QString &help)
{
    auto *button = new QPushButton(text, m_buttons);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(help);
    return button;
}

void ContextQuestion::resizeEvent(QResizeEvent *)
{
    arrange();
}

void ContextQuestion::showEvent(QShowEvent *)
{
    arrange();
}

/// In one row, else in rows of two, or in a column.
void ContextQuestion::arrange()
{
    QList<QPushButton *> shown;
    int all = 0, widest = 0;
    for (QPushButton *button : {m_summarise, m_leaveOut, m_larger, m_edit}) {
        m_grid->removeWidget(button);
        button->ensurePolished(); // its size is that of the style sheet
        const bool offered =
            button == m_edit || (button == m_larger ? m_tokens <= m_largestRoom : !m_alone);
        button->setVisible(offered);
        if (!offered)
            continue;
        shown += button;
        const int wide = button->sizeHint().width();
        all += wide + m_grid->spacing();
        widest = std::max(widest, wide);
    }
    const int width = m_buttons->width();
    const bool row = all <= width;
    const int columns = row                                       ? std::max(1, int(shown.size()))
                        : 2 * widest + m_grid->spacing() <= width ? 2
                                                                  : 1;
    for (int i = 0; i < int(shown.size()); ++i)
        m_grid->addWidget(shown[i], i / columns, i % columns);
    m_grid->setColumnStretch(4, row ? 1 : 0); // beside the last one
}

void ContextQuestion::setShortage(const std::optional<ContextShortage> &shortage)
{
    if (shortage) {
        m_alone = shortage->keepFrom < 0;
        const QString text =
            m_alone
                ? tr("This message is too long for the model's context: with what must precede "
                     "it it has %1 tokens, and there is room for %2.")
                : tr("The chat has outgrown the model's context: it has %1 tokens, and there is "
                     "room for %2. What shall become of the oldest messages?");
        m_tokens = shortage->tokens;
        m_text->setText(text.arg(countText(shortage->tokens), countText(shortage->room)));
        setAccessibleName(m_text->text());
        m_always->setChecked(false);
        m_always->setHidden(m_alone);
        arrange();
    }
    setVisible(shortage.has_value());
}

void ContextQuestion::setLargestRoom(int tokens)
{
    m_largestRoom = tokens;
    arrange();
}

void ContextQuestion::setAnswerable(bool answerable)
{
    m_buttons->setEnabled(answerable);
    m_always->setEnabled(answerable);
}

} // namespace fireside
