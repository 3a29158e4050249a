// Tools in the middle of the window: the button, their list, and the question before a call.
#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "app/tools/tool_box.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/composer.h"
#include "ui/tools/call_bar.h"
#include "ui/tools/input_bar.h"
#include "ui/tools/sign_in_bar.h"
#include "ui/tools/tools_button.h"
#include "ui/tools/tools_dialog.h"

#include <QApplication>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kCountToolsMs = 150; // a server tells its tools in several steps

} // namespace

void ChatPanel::connectTools()
{
    ToolsButton *const button = m_composer->tools();
    button->show();
    m_toolCount.setSingleShot(true);
    m_toolCount.setInterval(kCountToolsMs);
    connect(&m_toolCount, &QTimer::timeout, this, [this] {
        m_countsTools = true;
        m_engine.countTools({}, m_chat.offersOf(m_chat.chatTools().enabled));
    });
    connect(&m_engine, &EngineService::toolsCounted, this, [this](const QList<int> &, int all) {
        if (!std::exchange(m_countsTools, false))
            return; // another window asked
        m_toolTokens = all;
        const auto enabled = static_cast<int>(m_chat.chatTools().enabled.size());
        const auto there = static_cast<int>(m_chat.offersOf(m_chat.chatTools().enabled).size());
        m_composer->tools()->setTools(enabled, enabled - there, m_toolTokens);
    });
    connect(button, &QToolButton::clicked, this, &ChatPanel::showTools);
    connect(&m_chat, &ChatController::chatToolsChanged, this, &ChatPanel::countTools);
    connect(m_chat.toolBox(), &ToolBox::toolsChanged, this, &ChatPanel::countTools);
    connect(&m_engine, &EngineService::loaded, this, &ChatPanel::countTools);
    connect(&m_chat, &ChatController::callQuestionChanged, this, &ChatPanel::showCallQuestion);
    connect(&m_chat, &ChatController::conversationOpened, this, &ChatPanel::showCallQuestion);
    connect(m_callBar, &CallBar::answered, this, [this](CallAnswer answer) {
        m_composer->focusText(); // the button that has it goes
        m_chat.answerCall(answer);
    });
    connect(m_callBar, &CallBar::showRequested, this,
            [this](qint64 conversation) { m_chat.openConversation(conversation); });
    m_signInBar->follow(*m_chat.toolBox());
    InputQueue &inputs = m_chat.toolBox()->inputs();
    connect(&inputs, &InputQueue::changed, this, &ChatPanel::showInput);
    connect(m_inputBar, &InputBar::answered, this,
            [this, &inputs](qint64 id, const InputAnswer &answer) {
                m_composer->focusText(); // the button that has it goes
                inputs.answer(id, answer);
            });
    showInput();
    countTools();
}

/// What they take is counted when nothing else runs.
void ChatPanel::countTools()
{
    const QStringList &ids = m_chat.chatTools().enabled;
    const auto enabled = static_cast<int>(ids.size());
    const auto there = static_cast<int>(m_chat.offersOf(ids).size());
    m_composer->tools()->setTools(enabled, enabled - there, -1);
    if (enabled > 0)
        m_toolCount.start();
}

void ChatPanel::showCallQuestion()
{
    const auto question = m_chat.callQuestion();
    const bool here = question && question->conversation == m_chat.currentConversation();
    m_callBar->setQuestion(question, here);
    // Not while somebody writes: letters must not answer it.
    if (here && isActiveWindow() && m_composer->text().isEmpty())
        m_callBar->focusQuestion();
}

void ChatPanel::showInput()
{
    const auto entry = m_chat.toolBox()->inputs().first();
    const bool another = m_inputBar->setEntry(entry);
    // As with calls: letters that somebody writes must not land in it.
    if (another && isActiveWindow() && m_composer->text().isEmpty())
        m_inputBar->focusQuestion();
}

void ChatPanel::showTools()
{
    if (!m_chat.toolBox())
        return;
    auto *dialog = new ToolsDialog(m_chat, m_engine, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ToolsDialog::serversRequested, this, &ChatPanel::toolServersRequested);
    dialog->open();
}

} // namespace fireside
