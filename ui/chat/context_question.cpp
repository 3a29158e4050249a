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
    const auto add = [&](const QString &text, const char *name, const QString &help) {
        auto *button = new QPushButton(text);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(help);
        m_row->addWidget(button);
        return button;
    };
    QPushButton *const summarise =
        add(tr("&Summarise the oldest"), "contextSummarise",
            tr("The model writes a summary, which stands in the chat and takes their place"));
    QPushButton *const leaveOut =
        add(tr("&Leave out the oldest"), "contextLeaveOut",
            tr("They stay in the chat; a line shows where the model's view begins"));
    QPushButton *const edit = add(tr("&Edit the message"), "contextEdit",
                                  tr("Nothing is sent until the message is changed"));
    m_row->addStretch(1);
    column->addWidget(m_buttons);
    column->addWidget(m_always);
    connect(summarise, &QPushButton::clicked, this,
            [this] { emit summariseChosen(m_always->isChecked()); });
    connect(leaveOut, &QPushButton::clicked, this,
            [this] { emit leaveOutChosen(m_always->isChecked()); });
    connect(edit, &QPushButton::clicked, this, &ContextQuestion::editChosen);
    hide();
}

void ContextQuestion::resizeEvent(QResizeEvent *)
{
    int wide = 0;
    for (const QPushButton *button : m_buttons->findChildren<QPushButton *>())
        wide += button->sizeHint().width() + m_row->spacing();
    m_row->setDirection(m_buttons->width() < wide ? QBoxLayout::TopToBottom
                                                  : QBoxLayout::LeftToRight);
}

void ContextQuestion::setShortage(const std::optional<ContextShortage> &shortage)
{
    if (shortage) {
        m_text->setText(tr("The chat has outgrown the model's context: it has %1 tokens, and there "
                           "is room for %2. What shall become of the oldest messages?")
                            .arg(countText(shortage->tokens), countText(shortage->room)));
        setAccessibleName(m_text->text());
        m_always->setChecked(false);
    }
    setVisible(shortage.has_value());
}

void ContextQuestion::setAnswerable(bool answerable)
{
    m_buttons->setEnabled(answerable);
    m_always->setEnabled(answerable);
}

} // namespace fireside
