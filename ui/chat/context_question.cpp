#include "ui/chat/context_question.h"

#include "ui/backend/number_text.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

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
    m_row = new QBoxLayout(QBoxLayout::LeftToRight, m_buttons);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_summarise =
        addButton(tr("&Summarise the oldest"), "contextSummarise",
                  tr("The model writes a summary, which stands in the chat and takes their place"));
    m_leaveOut = addButton(tr("&Leave out the oldest"), "contextLeaveOut",
                           tr("They stay in the chat; a line shows where the model's view begins"));
    m_larger = addButton(tr("&Reload with a larger context"), "contextLarger",
                         tr("The model is loaded again with more room, and then answers"));
    QPushButton *const edit = addButton(tr("&Edit the message"), "contextEdit",
                                        tr("Nothing is sent until the message is changed"));
    m_row->addStretch(1);
    column->addWidget(m_buttons);
    column->addWidget(m_always);
    connect(m_summarise, &QPushButton::clicked, this,
            [this] { emit summariseChosen(m_always->isChecked()); });
    connect(m_leaveOut, &QPushButton::clicked, this,
            [this] { emit leaveOutChosen(m_always->isChecked()); });
    connect(m_larger, &QPushButton::clicked, this, [this] { emit largerChosen(m_tokens); });
    connect(edit, &QPushButton::clicked, this, &ContextQuestion::editChosen);
    hide();
}

QPushButton *ContextQuestion::addButton(const QString &text, const char *name, const QString &help)
{
    auto *button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(help);
    m_row->addWidget(button);
    return button;
}

void ContextQuestion::resizeEvent(QResizeEvent *)
{
    arrange();
}

void ContextQuestion::arrange()
{
    int wide = 0;
    for (const QPushButton *button : m_buttons->findChildren<QPushButton *>())
        wide += button->isHidden() ? 0 : button->sizeHint().width() + m_row->spacing();
    m_row->setDirection(m_buttons->width() < wide ? QBoxLayout::TopToBottom
                                                  : QBoxLayout::LeftToRight);
}

void ContextQuestion::setShortage(const std::optional<ContextShortage> &shortage)
{
    if (shortage) {
        const bool alone = shortage->keepFrom < 0;
        const QString text =
            alone ? tr("This message is too long for the model's context: with what must precede "
                       "it it has %1 tokens, and there is room for %2.")
                  : tr("The chat has outgrown the model's context: it has %1 tokens, and there is "
                       "room for %2. What shall become of the oldest messages?");
        m_tokens = shortage->tokens;
        m_text->setText(text.arg(countText(shortage->tokens), countText(shortage->room)));
        setAccessibleName(m_text->text());
        m_always->setChecked(false);
        m_always->setHidden(alone);
        m_summarise->setHidden(alone);
        m_leaveOut->setHidden(alone);
        arrange();
    }
    setVisible(shortage.has_value());
}

void ContextQuestion::setLargerPossible(bool possible)
{
    m_larger->setVisible(possible);
    arrange();
}

void ContextQuestion::setAnswerable(bool answerable)
{
    m_buttons->setEnabled(answerable);
    m_always->setEnabled(answerable);
}

} // namespace fireside
