#include "ui/tools/call_bar.h"

#include "app/tools/tool.h"
#include "app/tools/visible_text.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"

#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kMostLines = 7;

} // namespace

CallBar::CallBar(QWidget *parent)
    : QuestionBar("callBar", parent)
    , m_about(addLabel("muted"))
    , m_arguments(new PlainTextField)
{
    m_arguments->setObjectName(QStringLiteral("callArguments"));
    m_arguments->setAccessibleName(tr("Arguments of the call"));
    m_arguments->setReadOnly(true);
    m_arguments->setTabChangesFocus(true);
    addContent(m_arguments);
    const auto add = [&](const QString &text, const char *name, CallAnswer answer,
                         const QString &help) {
        QPushButton *const button = addButton(name, text, help);
        connect(button, &QPushButton::clicked, this, [this, answer] { emit answered(answer); });
        m_answers += button;
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
    m_show = addButton("callShow", tr("S&how that chat"));
    connect(m_show, &QPushButton::clicked, this, [this] {
        if (m_question)
            emit showRequested(m_question->conversation);
    });
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
    QuestionBar::setQuestion(
        here ? tr("The model wants to call %1, %2. May it run?").arg(tool, server)
             : tr("In another chat the model wants to call %1, %2.").arg(tool, server));
    m_about->setText(question->description.simplified().left(240));
    m_about->setVisible(here && !m_about->text().isEmpty());
    m_arguments->setPlainText(visible(question->arguments)); // JSON still
    m_arguments->setFont(Theme::monospace());
    const int lines = std::clamp(m_arguments->document()->blockCount(), 1, kMostLines);
    m_arguments->setFixedHeight(lines * m_arguments->fontMetrics().lineSpacing() +
                                2 * int(m_arguments->document()->documentMargin()) + 20);
    m_arguments->setVisible(here);
    for (QPushButton *const button : std::as_const(m_answers))
        button->setVisible(here);
    m_show->setVisible(!here);
}

void CallBar::focusQuestion()
{
    m_arguments->setFocus(Qt::OtherFocusReason);
}

} // namespace fireside
