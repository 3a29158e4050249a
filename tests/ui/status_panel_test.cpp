#include "app/chat/chat_controller.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"
#include "tests/ui/private_home.h"
#include "ui/backend/elided_text.h"
#include "ui/backend/meter_bar.h"
#include "ui/backend/status_panel.h"

#include <QJsonObject>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace fireside {
namespace {

// The engine is not started: the tests say what it would have said.
class StatusPanelTest : public testing::Test
{
protected:
    StatusPanelTest()
    {
        panel.resize(1000, panel.sizeHint().height());
        panel.show();
    }

    template <typename Widget>
    Widget *child(const char *name)
    {
        auto *widget = panel.findChild<Widget *>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }

    void load()
    {
        ModelStatus model;
        model.name = QStringLiteral("Tiny");
        model.reason = QStringLiteral("Runs on the CPU.");
        model.context = 1000;
        model.plannedBytes = 1000;
        model.residentBytes = 800;
        emit engine.stateChanged(EngineState::Ready);
        emit engine.loaded(model);
    }

    test::PrivateHome home;
    EngineService engine;
    ConversationStore store{home.path(QStringLiteral("store"))};
    ChatController chat{store, engine};
    StatusPanel panel{engine, chat};
};

TEST_F(StatusPanelTest, LoadRowIsThereOnlyWhileLoading)
{
    auto *bar = child<QProgressBar>("statusLoad");
    EXPECT_FALSE(bar->isVisible());
    emit engine.loadStarted(QStringLiteral("/models/a.gguf"));
    emit engine.stateChanged(EngineState::Loading);
    emit engine.loadProgress(QStringLiteral("loading weights"), 0.42);
    EXPECT_TRUE(bar->isVisible());
    EXPECT_EQ(bar->value(), 42);
    load();
    EXPECT_FALSE(bar->isVisible());
}

TEST_F(StatusPanelTest, TellsWhereAReplyGoesOnAfterADeviceFailed)
{
    load();
    ModelStatus model;
    model.name = QStringLiteral("Tiny");
    model.reason = QStringLiteral("Running on the CPU because the device failed during a reply");
    emit engine.stateChanged(EngineState::Replying);
    emit engine.moved(model);
    EXPECT_TRUE(child<ElidedButton>("statusReason")->fullText().contains(model.reason))
        << qPrintable(child<ElidedButton>("statusReason")->fullText());
}

TEST_F(StatusPanelTest, DoubtsAboutTheModelStandBelowIt)
{
    load();
    auto *remarks = child<QLabel>("statusRemarks");
    EXPECT_FALSE(remarks->isVisible());
    ModelStatus model;
    model.name = QStringLiteral("Odd");
    model.remarks = {QStringLiteral("One thing."), QStringLiteral("Another <b>thing</b>.")};
    emit engine.loaded(model);
    EXPECT_TRUE(remarks->isVisible());
    EXPECT_EQ(remarks->text(), QStringLiteral("One thing. Another <b>thing</b>."));
    EXPECT_EQ(remarks->textFormat(), Qt::PlainText);
    emit engine.loadStarted(QStringLiteral("/models/a.gguf"));
    emit engine.stateChanged(EngineState::Loading);
    EXPECT_FALSE(remarks->isVisible());
}

TEST_F(StatusPanelTest, ALongReasonTakesMoreLinesInsteadOfBeingCut)
{
    load();
    ModelStatus model;
    model.name = QStringLiteral("Tiny");
    model.reason = QStringLiteral("Running on the CPU because a device was not used. ").repeated(9);
    emit engine.moved(model);
    auto *reason = child<ElidedButton>("statusReason");
    int before = 0;
    for (const int width : {1800, 1100, 700}) {
        panel.resize(width, panel.sizeHint().height());
        QCoreApplication::processEvents();
        EXPECT_GT(reason->height(), before) << width;
        before = reason->height();
        EXPECT_GE(panel.height(), reason->height());
        const int needed = reason->fontMetrics()
                               .boundingRect(QRect(0, 0, reason->width() - 12, 1000),
                                             Qt::TextWordWrap, reason->fullText())
                               .height();
        EXPECT_GE(reason->height(), needed) << width;
    }
}

TEST_F(StatusPanelTest, WhereItIsNarrowItsFiguresTakeTwoLines)
{
    load();
    auto *memory = child<MeterBar>("statusMemory");
    auto *rate = child<QLabel>("statusAnswerRate");
    const auto layOut = [&](int width) {
        panel.resize(width, panel.sizeHint().height());
        QCoreApplication::processEvents();
        panel.resize(width, panel.heightForWidth(width));
        QCoreApplication::processEvents();
    };
    layOut(1400);
    EXPECT_EQ(rate->parentWidget(), memory->parentWidget());
    EXPECT_LT(rate->y(), memory->geometry().bottom());
    EXPECT_GT(rate->geometry().right(), rate->parentWidget()->width() - 60) << "at the far end";
    layOut(400);
    EXPECT_LE(panel.minimumSizeHint().width(), 400);
    EXPECT_GT(rate->y(), memory->geometry().bottom());
    EXPECT_LE(rate->geometry().bottom(), rate->parentWidget()->height());
}

TEST_F(StatusPanelTest, CancelCanBePressedOnceForEachLoad)
{
    auto *cancel = child<QPushButton>("statusCancel");
    emit engine.loadStarted(QStringLiteral("/models/a.gguf"));
    emit engine.stateChanged(EngineState::Loading);
    QTest::mouseClick(cancel, Qt::LeftButton);
    EXPECT_FALSE(cancel->isEnabled());
    emit engine.loadStarted(QStringLiteral("/models/b.gguf"));
    EXPECT_TRUE(cancel->isEnabled());
}

TEST_F(StatusPanelTest, FailureReplacesTheModel)
{
    load();
    EXPECT_EQ(child<ElidedButton>("statusModel")->fullText(), "Tiny");
    QSignalSpy failed(&engine, &EngineService::loadFailed);
    engine.loadModel(QStringLiteral("/nowhere/bad.gguf"), {});
    ASSERT_TRUE(failed.wait());
    EXPECT_EQ(child<ElidedButton>("statusModel")->fullText(), "No model");
    const QString reason = child<ElidedButton>("statusReason")->fullText();
    EXPECT_TRUE(reason.contains("bad.gguf") && reason.contains(engine.loadFailure().message))
        << qPrintable(reason);
    StatusPanel later(engine, chat); // of another window
    EXPECT_EQ(later.findChild<ElidedButton *>(QStringLiteral("statusReason"))->fullText(), reason);
    EXPECT_FALSE(child<MeterBar>("statusMemory")->isVisible());
}

TEST_F(StatusPanelTest, MetersWarnInColourAndWords)
{
    load();
    ReplyStats stats;
    stats.contextTotal = 1000;
    stats.contextUsed = 500;
    stats.residentBytes = 900;
    emit chat.statsChanged(stats);
    auto *context = child<MeterBar>("statusContext");
    auto *memory = child<MeterBar>("statusMemory");
    EXPECT_TRUE(context->isVisible());
    EXPECT_EQ(context->value(), 500); // of 1000 steps
    EXPECT_EQ(context->level(), MeterBar::Level::Normal);
    EXPECT_EQ(memory->level(), MeterBar::Level::Normal);
    stats.contextUsed = 950;
    stats.residentBytes = 2000;
    emit chat.statsChanged(stats);
    EXPECT_EQ(context->level(), MeterBar::Level::Warning);
    EXPECT_TRUE(context->text().contains("nearly full"));
    EXPECT_EQ(memory->level(), MeterBar::Level::Warning);
    stats.contextUsed = 1000;
    emit chat.statsChanged(stats);
    EXPECT_EQ(context->level(), MeterBar::Level::Critical);
}

TEST_F(StatusPanelTest, AnotherChatForgetsTheNumbers)
{
    load();
    ReplyStats stats;
    stats.contextTotal = 1000;
    stats.contextUsed = 950;
    emit chat.statsChanged(stats);
    emit chat.conversationOpened(7);
    EXPECT_EQ(child<MeterBar>("statusContext")->value(), 0);
}

TEST_F(StatusPanelTest, AChatThatIsOpenedHasItsTokensAlready)
{
    ModelStatus model;
    model.context = 1000;
    model.fingerprint = QStringLiteral("this one");
    const auto with = [&](const char *fingerprint, bool continued) {
        const qint64 id = store.addConversation(QStringLiteral("one"), {});
        Message question, reply;
        question.role = QStringLiteral("user");
        question.text = QStringLiteral("Why?");
        reply.role = QStringLiteral("assistant");
        reply.text = QStringLiteral("So.");
        reply.parentId = store.addMessage(id, question);
        reply.record = {{QStringLiteral("fingerprint"), QLatin1String(fingerprint)},
                        {QStringLiteral("promptTokens"), 300},
                        {QStringLiteral("generatedTokens"), 45}};
        if (continued)
            reply.record[QStringLiteral("continued")] = QJsonObject();
        store.addMessage(id, reply);
        return id;
    };
    auto *context = child<MeterBar>("statusContext");
    chat.openConversation(with("this one", false));
    EXPECT_EQ(context->value(), 0) << "no model is there to count for";
    emit engine.stateChanged(EngineState::Ready);
    emit engine.loaded(model);
    EXPECT_EQ(context->value(), 345);
    chat.openConversation(with("another one", false));
    EXPECT_EQ(context->value(), 0) << "another model counts otherwise";
    chat.openConversation(with("this one", true));
    EXPECT_EQ(context->value(), 300) << "it was a part of the prompt";
    ReplyStats stats;
    stats.contextTotal = 1000;
    stats.contextUsed = 700;
    emit chat.statsChanged(stats);
    EXPECT_EQ(context->value(), 700);
}

TEST_F(StatusPanelTest, KeyboardOpensModelsAndDetails)
{
    QSignalSpy models(&panel, &StatusPanel::modelsRequested);
    QSignalSpy details(&panel, &StatusPanel::detailsRequested);
    QTest::keyClick(child<ElidedButton>("statusModel"), Qt::Key_Space);
    QTest::keyClick(child<ElidedButton>("statusReason"), Qt::Key_Space);
    EXPECT_EQ(models.count(), 1);
    EXPECT_EQ(details.count(), 1);
}

TEST_F(StatusPanelTest, ScreenReadersHearTheWholeText)
{
    load();
    const QString name = child<ElidedButton>("statusReason")->accessibleName();
    EXPECT_TRUE(name.contains("Runs on the CPU."));
    panel.resize(200, panel.height());
    EXPECT_EQ(child<ElidedButton>("statusReason")->accessibleName(), name);
}

} // namespace
} // namespace fireside
