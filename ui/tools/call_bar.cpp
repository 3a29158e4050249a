#include "ui/tools/call_bar.h"

#include "app/tools/tool.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kMostLines = 7;

} // namespace

CallBar::CallBar(QWidget *parent)
    : QFrame(parent)
{
    setProperty("role", "card");
    setObjectName(QStringLiteral("callBar"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(6);
    const auto label = [&](const char *role) {
        auto *made = new QLabel;
        made->setTextFormat(Qt::PlainText);
        made->setWordWrap(true);
        made->setProperty("role", role);
        column->addWidget(made);
        return made;
    };
    m_text = label("heading");
    m_about = label("muted");
    m_arguments = new PlainTextField;
    m_arguments->setObjectName(QStringLiteral("callArguments"));
    m_arguments->setAccessibleName(tr("Arguments of the call"));
    m_arguments->setReadOnly(true);
    m_arguments->setTabChangesFocus(true);
    column->addWidget(m_arguments);
    m_buttons = new QWidget;
    m_buttons->setMinimumWidth(1);
    m_row = new QBoxLayout(QBoxLayout::LeftToRight, m_buttons);
    m_row->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString &text, const char *name, CallAnswer answer,
                         const QString &help) {
        auto *button = new QPushButton(text);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(help);
        button->setAccessibleDescription(help);
        m_row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, answer] { emit answered(answer); });
        return button;
    };
    add(tr("Run &once"), "callOnce", CallAnswer::Once, tr("This call alone"))
        ->setProperty("role", "primary");
    add(tr("A&llow in this chat"), "callChat", CallAnswer::ThisChat,
        tr("Calls of this tool in this chat run unasked, whatever their arguments"));
    add(tr("&Always allow"), "callAlways", CallAnswer::Always,
        tr("Calls of this tool run unasked in every chat, until it changes or you take it back in "
           "the settings"));
    add(tr("&Do not run"), "callRefuse", CallAnswer::Refuse,
        tr("The model is told so, and goes on"));
    m_row->addStretch(1);
    column->addWidget(m_buttons);
    m_show = new QPushButton(tr("S&how that chat"));
    m_show->setObjectName(QStringLiteral("callShow"));
    column->addWidget(m_show, 0, Qt::AlignLeft);
    connect(m_show, &QPushButton::clicked, this, [this] {
        if (m_question)
            emit showRequested(m_question->conversation);
    });
    hide();
}

void CallBar::setQuestion(const std::optional<CallQuestion> &question, bool here)
{
    m_question = question;
    setVisible(question.has_value());
    if (!question)
        return;
    const QString server =
        question->server == kBuiltIn ? tr("built in") : question->server.left(100);
    const QString tool = question->title.isEmpty()
                             ? question->tool.left(100)
                             : tr("%1 (%2)").arg(question->title, question->tool.left(100));
    m_text->setText(here ? tr("The model wants to call %1, %2. May it run?").arg(tool, server)
                         : tr("In another chat the model wants to call %1, %2.").arg(tool, server));
    setAccessibleName(m_text->text());
    m_about->setText(question->description.simplified().left(240));
    m_about->setVisible(here && !m_about->text().isEmpty());
    m_arguments->setPlainText(question->arguments);
    m_arguments->setFont(Theme::monospace());
    const int lines = std::clamp(m_arguments->document()->blockCount(), 1, kMostLines);
    m_arguments->setFixedHeight(lines * m_arguments->fontMetrics().lineSpacing() +
                                2 * int(m_arguments->document()->documentMargin()) + 20);
    m_arguments->setVisible(here);
    m_buttons->setVisible(here);
    m_show->setVisible(!here);
    fitButtons();
}

void CallBar::focusQuestion()
{
    m_arguments->setFocus(Qt::OtherFocusReason);
}

void CallBar::fitButtons()
{
    int wide = 0;
    for (const QPushButton *button : m_buttons->findChildren<QPushButton *>())
        wide += button->sizeHint().width() + m_row->spacing();
    m_row->setDirection(m_buttons->width() < wide ? QBoxLayout::TopToBottom
                                                  : QBoxLayout::LeftToRight);
}

void CallBar::resizeEvent(QResizeEvent *)
{
    fitButtons();
}

} // namespace fireside
