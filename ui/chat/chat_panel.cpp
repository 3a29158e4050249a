#include "ui/chat/chat_panel.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_texts.h"
#include "app/models/model_library.h"
#include "app/runtime/context_window.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/chat/composer.h"
#include "ui/chat/context_question.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/queued_message.h"
#include "ui/chat/reply_details.h"
#include "ui/chat/thinking_button.h"
#include "ui/chat/welcome.h"
#include "ui/style/shortcut_menu.h"
#include "ui/style/theme.h"
#include "ui/tools/call_bar.h"
#include "ui/tools/input_bar.h"
#include "ui/tools/sign_in_bar.h"
#include "ui/tools/tools_button.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

ChatPanel::ChatPanel(ChatController &chat, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_chat(chat)
    , m_engine(engine)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_notices = new NoticeBar;
    column->addWidget(m_notices);
    m_find = new FindBar;
    column->addWidget(m_find);

    m_pages = new QStackedWidget;
    m_welcome = new Welcome;
    m_transcript = new TranscriptView;
    m_pages->addWidget(m_welcome);
    m_pages->addWidget(m_transcript);
    m_pages->setMinimumHeight(2 * fontMetrics().lineSpacing()); // both scroll
    column->addWidget(m_pages, 1);

    m_composerRow = new QWidget;
    auto *rows = new QVBoxLayout(m_composerRow);
    rows->setContentsMargins(20, 4, 20, 14);
    rows->setSpacing(6);
    m_question = new ContextQuestion;
    m_callBar = new CallBar;
    m_signInBar = new SignInBar;
    m_inputBar = new InputBar;
    m_skip = new QPushButton(tr("Skip thinking"));
    m_skip->setObjectName(QStringLiteral("skipThinking"));
    m_skip->setToolTip(tr("The model's thoughts end here, and it answers"));
    m_skip->hide();
    rows->addWidget(m_question);
    rows->addWidget(m_callBar);
    rows->addWidget(m_signInBar);
    rows->addWidget(m_inputBar);
    rows->addWidget(m_skip, 0, Qt::AlignHCenter);
    m_queued = new QueuedMessage;
    m_composer = new Composer;
    rows->addWidget(m_queued);
    rows->addWidget(m_composer);
    column->addWidget(m_composerRow);

    connect(m_welcome, &Welcome::modelsRequested, this, &ChatPanel::modelsRequested);
    connect(m_welcome, &Welcome::exampleChosen, this, [this](const QString &text) {
        m_chat.send(text);
        m_chat.setDraft(m_composer->message()); // what was being written is still to be sent
    });
    connect(m_composer, &Composer::sendRequested, &m_chat, &ChatController::send);
    connect(m_composer, &Composer::stopRequested, &m_chat, &ChatController::stop);
    connect(m_composer, &Composer::queueRequested, &m_chat, &ChatController::queue);
    connect(m_composer, &Composer::edited, &m_chat, &ChatController::setDraft);
    connect(m_composer, &Composer::countRequested, &m_engine, &EngineService::countTokens);
    connect(&m_engine, &EngineService::tokensCounted, m_composer, &Composer::setTokens);
    connect(m_composer, &Composer::tooLong, this, &ChatPanel::refuseLongMessage);
    connect(m_composer, &Composer::edited, this,
            [this] { m_notices->dismiss(QStringLiteral("length")); });
    connect(m_queued, &QueuedMessage::editRequested, this, &ChatPanel::editQueued);
    connect(m_queued, &QueuedMessage::removeRequested, &m_chat, &ChatController::takeQueued);
    connect(m_composer, &Composer::editLastRequested, this, &ChatPanel::editLastMessage);
    connect(m_composer, &Composer::attachmentFailed, this, [this](const QString &message) {
        m_notices->show(QStringLiteral("attachment"), NoticeBar::Kind::Warning, message);
    });
    connect(m_composer->thinking(), &ThinkingButton::chosen, &m_chat, &ChatController::setSampling);
    connect(m_transcript, &TranscriptView::editAccepted, &m_chat, &ChatController::edit);
    connect(m_transcript, &TranscriptView::editAccepted, m_composer, &Composer::focusText);
    connect(m_transcript, &TranscriptView::regenerateRequested, this, &ChatPanel::regenerate);
    connect(m_transcript, &TranscriptView::continueRequested, this, &ChatPanel::continueReply);
    connect(m_transcript, &TranscriptView::siblingRequested, &m_chat, &ChatController::showSibling);
    connect(m_transcript, &TranscriptView::detailsRequested, this, &ChatPanel::showDetails);
    connect(m_transcript, &TranscriptView::choicesRequested, this, &ChatPanel::askForChoices);
    connect(m_question, &ContextQuestion::summariseChosen, this, [this](bool always) {
        m_chat.answerContextFull(ChatController::ContextChoice::Summarise, always);
    });
    connect(m_question, &ContextQuestion::leaveOutChosen, this, [this](bool always) {
        m_chat.answerContextFull(ChatController::ContextChoice::LeaveOut, always);
    });
    connect(m_question, &ContextQuestion::largerChosen, this, [this](int tokens) {
        m_answersOnceLoaded = true;
        emit largerContextRequested(tokens);
    });
    connect(m_question, &ContextQuestion::editChosen, this, &ChatPanel::editLastMessage);
    connect(m_skip, &QPushButton::clicked, &m_chat, &ChatController::skipThinking);
    connect(m_transcript, &TranscriptView::linkActivated, this, &ChatPanel::linkActivated);
    connect(m_transcript, &TranscriptView::placeChanged, this, [this] {
        if (!m_rebuilding && !m_follows)
            m_chat.setPlace(m_transcript->place());
    });
    connect(m_find, &FindBar::found, m_transcript, &TranscriptView::showPlace);
    connect(m_find, &FindBar::closed, this, [this] {
        m_transcript->showFound({}, 0); // the place stays selected: its menu key opens there
        m_composer->focusText();
    });
    for (const auto signal : {&ChatController::messageAdded, &ChatController::messageChanged})
        connect(&m_chat, signal, m_find, [this] { m_find->setMessages(m_chat.messages()); });
    connectChat();
    connectEngine();
    if (m_chat.toolBox())
        connectTools();
    rebuild();
    updateComposer();
}

void ChatPanel::connectChat()
{
    connect(&m_chat, &ChatController::conversationOpened, this, &ChatPanel::rebuild);
    connect(&m_chat, &ChatController::messageAdded, this, [this](int index) {
        m_shown = m_chat.currentConversation(); // a new one has its id from its first message
        m_transcript->appendMessage(m_chat.messages().at(index));
        showPage();
    });
    connect(&m_chat, &ChatController::messageChanged, this,
            [this](int index) { m_transcript->updateMessage(index, m_chat.messages().at(index)); });
    connect(&m_chat, &ChatController::textAppended, this, [this](int index) {
        m_transcript->setWaitingText({});
        m_transcript->updateMessage(index, m_chat.messages().at(index));
    });
    connect(&m_chat, &ChatController::replyingChanged, this, [this](bool replying) {
        m_transcript->setReplying(replying);
        m_transcript->setWaitingText({});
        updateComposer();
    });
    connect(&m_chat, &ChatController::canSendChanged, this, &ChatPanel::updateComposer);
    connect(&m_chat, &ChatController::queuedChanged, m_queued, &QueuedMessage::setText);
    connect(&m_chat, &ChatController::draftChanged, this, &ChatPanel::showDraft);
    connect(&m_chat, &ChatController::samplingChanged, this, &ChatPanel::updateComposer);
    connect(&m_chat, &ChatController::thinkingChanged, m_skip, &QWidget::setVisible);
    connect(&m_chat, &ChatController::contextShortageChanged, this,
            [this] { m_question->setShortage(m_chat.contextShortage()); });
    connect(&m_chat, &ChatController::choicesFound, this, &ChatPanel::showChoices);
    connect(&m_chat, &ChatController::firstSeenChanged, m_transcript,
            &TranscriptView::setFirstSeen);
}

void ChatPanel::connectEngine()
{
    connect(&m_engine, &EngineService::stateChanged, this, &ChatPanel::updateComposer);
    connect(&m_engine, &EngineService::loadStarted, this, [this](const QString &path) {
        m_loading = ModelLibrary::displayName(path);
        m_loadPercent = 0;
        updateComposer();
    });
    connect(&m_engine, &EngineService::loadProgress, this,
            [this](const QString &, double fraction) {
                m_loadPercent = std::clamp(int(fraction * 100), 0, 100);
                updateComposer();
            });
    connect(&m_engine, &EngineService::loaded, this, &ChatPanel::updateComposer);
    connect(&m_engine, &EngineService::reasonChanged, this, &ChatPanel::updateComposer);
    // Later, when everybody knows the model.
    connect(
        &m_engine, &EngineService::loaded, this,
        [this] {
            if (std::exchange(m_answersOnceLoaded, false))
                m_chat.answerContextFull(ChatController::ContextChoice::TryAgain, false);
        },
        Qt::QueuedConnection);
    connect(&m_engine, &EngineService::loadFailed, this, [this] { m_answersOnceLoaded = false; });
    connect(&m_engine, &EngineService::replyWaits, this, [this](qint64 id) {
        if (id == m_chat.writtenMessage())
            m_transcript->setWaitingText(tr("Waits for another reply to end…"));
    });
    connect(&m_engine, &EngineService::promptProgress, this,
            [this](qint64 id, int done, int total) {
                // A short prompt is read before anybody could read this.
                if (total > 256 && id == m_chat.writtenMessage())
                    m_transcript->setWaitingText(
                        tr("Reading the conversation… %1 %").arg(100LL * done / total));
            });
}

void ChatPanel::rebuild()
{
    m_rebuilding = true;
    m_transcript->setFirstSeen(m_chat.firstSeenMessage());
    const qint64 id = m_chat.currentConversation();
    const bool same = id == std::exchange(m_shown, id) && id != 0;
    m_transcript->setMessages(m_chat.messages(), same);
    m_find->setMessages(m_chat.messages());
    m_transcript->setReplying(m_chat.replying());
    if (!same) {
        m_answersOnceLoaded = false;
        m_transcript->setPlace(m_chat.place());
    }
    m_rebuilding = false;
    m_question->setShortage(m_chat.contextShortage());
    showDraft();
    showPage();
    updateComposer();
}

void ChatPanel::showDraft()
{
    if (m_composer->message() != m_chat.draft())
        m_composer->setMessage(m_chat.draft());
}

void ChatPanel::lendComposer(QLayout &layout)
{
    layout.addWidget(m_composer);
}

void ChatPanel::takeComposerBack()
{
    m_composerRow->layout()->addWidget(m_composer);
}

void ChatPanel::beFollower()
{
    m_follows = true;
    m_composer->hide();
    updateComposer();
}

void ChatPanel::setHeld(const QString &reason)
{
    if (std::exchange(m_held, reason) != reason)
        updateComposer();
}

void ChatPanel::editQueued()
{
    const QString text = m_chat.takeQueued(), written = m_composer->message();
    m_chat.setDraft(written.isEmpty() ? text : text + QStringLiteral("\n\n") + written);
    showDraft();
    m_composer->focusText();
}

void ChatPanel::showPage()
{
    QWidget *page = m_chat.messages().isEmpty() ? static_cast<QWidget *>(m_welcome) : m_transcript;
    if (m_pages->currentWidget() != page)
        m_pages->setCurrentWidget(page);
}

QString ChatPanel::unreadyReason() const
{
    switch (m_engine.state()) {
    case EngineState::Starting:
        return tr("Starting…");
    case EngineState::Loading:
        return tr("Loading %1… %2 %").arg(m_loading).arg(m_loadPercent);
    case EngineState::NoModel:
        return tr("No model is loaded: choose one with Ctrl+L");
    case EngineState::Stopping:
        return tr("Stopping…");
    case EngineState::Replying:
        return tr("A reply is being written");
    case EngineState::Ready:
        break;
    }
    return {};
}

void ChatPanel::updateComposer()
{
    m_composer->setReplying(m_chat.replying());
    m_composer->setSendable(m_chat.canSend() && m_held.isEmpty(),
                            m_held.isEmpty() ? unreadyReason() : m_held);
    m_composer->setRoom(m_engine.hasModel() ? messageRoom(m_engine.model().context) : 0);
    m_composer->thinking()->setOffer(m_engine.hasModel() ? m_engine.model().thinking
                                                         : ThinkingOffer());
    m_composer->thinking()->setSampling(m_chat.sampling());
    m_question->setAnswerable(m_chat.canSend());
    m_question->setLargestRoom(largestRoom());
    m_welcome->setSendable(m_chat.canSend() && m_held.isEmpty() && !m_follows);
    const bool loading = m_engine.state() == EngineState::Loading;
    if (loading)
        m_welcome->showLoading(m_loading);
    else if (m_engine.hasModel())
        m_welcome->showModel(m_engine.model());
    else if (m_engine.state() == EngineState::Starting)
        m_welcome->showLoading(tr("the program"));
    else
        m_welcome->showNoModel();
    const QString name = m_engine.hasModel() ? m_engine.model().name : QString();
    m_composer->setPlaceholder(name.isEmpty() ? tr("Write a message") : tr("Message %1").arg(name));
}

/// What is asked for is shown, wherever the transcript is.
void ChatPanel::regenerate()
{
    m_chat.regenerate();
    m_transcript->scrollToEnd();
}

void ChatPanel::continueReply()
{
    m_chat.continueReply();
    m_transcript->scrollToEnd();
}

/// Tokens that a larger context than today's would have room for; 0: there is none.
int ChatPanel::largestRoom() const
{
    const bool larger =
        m_engine.hasModel() && m_engine.model().contextTrained > m_engine.model().context;
    return larger ? messageRoom(m_engine.model().contextTrained) : 0;
}

void ChatPanel::refuseLongMessage(int tokens)
{
    const ModelStatus &model = m_engine.model();
    const QString text =
        tr("This message has %1 tokens; in the model's context of %2 it may have %3.")
            .arg(countText(tokens), countText(model.context),
                 countText(messageRoom(model.context)));
    m_notices->show(QStringLiteral("length"), NoticeBar::Kind::Warning, text,
                    tokens <= largestRoom() ? tr("Reload with a larger context") : QString(),
                    [this, tokens] { emit largerContextRequested(tokens); });
}

void ChatPanel::showDetails(qint64 messageId)
{
    const QList<Message> &messages = m_chat.messages();
    for (qsizetype i = 0; i < messages.size(); ++i) {
        if (messages[i].id != messageId)
            continue;
        auto *dialog = new ReplyDetailsDialog(m_engine, messages.mid(0, i + 1), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
}

void ChatPanel::askForChoices(qint64 messageId, qsizetype position, QPoint place)
{
    m_choicesPlace = place;
    m_chat.findChoices(messageId, position);
}

void ChatPanel::showChoices(qint64 messageId, const QString &begun,
                            const QList<TokenChoice> &choices, const QString &problem)
{
    const QString topic = QStringLiteral("choices");
    m_notices->dismiss(topic);
    if (!problem.isEmpty())
        return m_notices->show(topic, NoticeBar::Kind::Warning, asSentence(problem));
    QMenu *const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("tokenChoices"));
    addMenuHeading(*menu, tr("The likeliest here; choosing one begins another version"));
    for (const TokenChoice &choice : choices) {
        QString shown = choice.text;
        shown.replace(QLatin1Char('\n'), QChar(0x21B5))
            .replace(QLatin1Char('&'), QLatin1String("&&"));
        const QString text = choice.text.isEmpty() ? tr("end of the reply") : tr("“%1”").arg(shown);
        QAction *const action = menu->addAction(
            tr("%1   %2 %").arg(text, QLocale().toString(choice.probability * 100, 'f', 1)));
        action->setEnabled(!choice.text.isEmpty() && choice.whole);
        connect(action, &QAction::triggered, &m_chat,
                [this, messageId, begun, choice] { m_chat.choose(messageId, begun, choice); });
    }
    menu->popup(m_choicesPlace);
}

void ChatPanel::findInChat()
{
    if (!m_chat.messages().isEmpty())
        m_find->open();
}

void ChatPanel::editLastMessage()
{
    const QList<Message> &messages = m_chat.messages();
    for (qsizetype i = messages.size() - 1; i >= 0; --i) {
        if (messages[i].role == QLatin1String("user")) {
            m_transcript->editMessage(int(i));
            return;
        }
    }
}

void ChatPanel::copyLastAnswer()
{
    const QList<Message> &messages = m_chat.messages();
    for (qsizetype i = messages.size() - 1; i >= 0; --i) {
        if (messages[i].role == QLatin1String("assistant") && !messages[i].text.isEmpty()) {
            QApplication::clipboard()->setText(copiedText(messages[i]));
            return;
        }
    }
}

void ChatPanel::keyPressEvent(QKeyEvent *event)
{
    // Letters typed while the transcript has the focus are the beginning of a message.
    const QString text = event->text();
    if (!text.isEmpty() && text.at(0).isPrint() &&
        !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
        m_composer->typeText(text);
    else
        QWidget::keyPressEvent(event);
}

void ChatPanel::resizeEvent(QResizeEvent *)
{
    // The composer is as wide as the text above it.
    const int side = std::max(20, (width() - Theme::kTextWidth - 32) / 2);
    m_composerRow->layout()->setContentsMargins(side, 4, side, 14);
}

void ChatPanel::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(rect(), Theme::current().window);
}

} // namespace fireside
