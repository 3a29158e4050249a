// Thinking is offered where the loaded model's template knows it, in the settings and in the chat.
#include "app/chat/message_parts.h"
#include "app/chat/reply_replay.h"
#include "engine/files/gguf.h"
#include "tests/support/endless_model.h"
#include "tests/support/scripted_model.h"
#include "tests/ui/program.h"
#include "ui/chat/thinking_button.h"
#include "ui/settings/settings_dialog.h"
#include "ui/settings/thinking_offer.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

namespace fireside::test {
namespace {

/// The starter model with another template, which is padded to the length of its own.
class ThinkingTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start(4);
        startEngine();
    }
    void loadWith(const QByteArray &atTheEnd)
    {
        QByteArray chatTemplate =
            "{%for m in messages%}<|im_start|>{{m.role}}\n{{m.content}}<|im_end|>\n{%endfor%}"
            "<|im_start|>assistant\n" +
            atTheEnd;
        QFile starter(ModelLibrary::starterModelPath());
        ASSERT_TRUE(starter.open(QIODevice::ReadOnly));
        QByteArray bytes = starter.readAll();
        const Gguf gguf = Gguf::open(starter.fileName().toStdString());
        const auto own = gguf.findString("tokenizer.chat_template").value();
        const auto at =
            reinterpret_cast<const std::byte *>(own.data()) - gguf.file().bytes().data();
        const auto length = static_cast<qsizetype>(own.size());
        ASSERT_LE(chatTemplate.size() + 4, length);
        chatTemplate += "{#" + QByteArray(length - chatTemplate.size() - 4, ' ') + "#}";
        bytes.replace(at, length, chatTemplate);
        const QString path = home.path(QStringLiteral("model-%1.gguf").arg(++m_models));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        load(path);
    }
    ThinkingButton *button() { return composer()->thinking(); }
    void choose(const char *action)
    {
        QMenu *menu = button()->menu();
        menu->popup(button()->mapToGlobal(QPoint()));
        ASSERT_TRUE(waitFor([&] { return menu->isVisible(); }));
        auto *wanted = menu->findChild<QAction *>(QLatin1String(action));
        ASSERT_NE(wanted, nullptr) << action;
        clickIn(menu, wanted);
        ASSERT_TRUE(waitFor([&] { return !menu->isVisible(); }));
    }

    int m_models = 0;
};

constexpr const char *kKnowsBoth = "{%if enable_thinking%}a{%endif%}{{reasoning_effort}}";

TEST_F(ThinkingTest, TheChatOffersItOnlyWhereTheTemplateKnowsIt)
{
    EXPECT_FALSE(button()->isVisible());
    loadStarter();
    EXPECT_FALSE(button()->isVisible());
    ASSERT_NO_FATAL_FAILURE(loadWith("{%if enable_thinking%}a{%endif%}"));
    EXPECT_TRUE(button()->isVisible());
    EXPECT_EQ(button()->text(), QStringLiteral("Thinking: as the model likes"));
    ASSERT_NO_FATAL_FAILURE(choose("thinking.off"));
    EXPECT_EQ(chat().sampling().thinking, "off");
    EXPECT_EQ(button()->text(), QStringLiteral("Thinking: off"));
    EXPECT_EQ(button()->menu()->findChild<QAction *>(QStringLiteral("reasoningEffort.low")),
              nullptr);
    loadStarter();
    EXPECT_FALSE(button()->isVisible());
}

TEST_F(ThinkingTest, EachChatRemembersItsChoice)
{
    ASSERT_NO_FATAL_FAILURE(loadWith(kKnowsBoth));
    ASSERT_NO_FATAL_FAILURE(choose("thinking.on"));
    ASSERT_NO_FATAL_FAILURE(choose("reasoningEffort.high"));
    write("hello");
    ASSERT_TRUE(replied());
    const qint64 first = chat().currentConversation();
    press("Ctrl+N");
    EXPECT_EQ(button()->text(),
              QStringLiteral("Thinking: as the model likes · Thinking effort: as the model likes"));
    chat().openConversation(first);
    EXPECT_EQ(button()->text(), QStringLiteral("Thinking: on · Thinking effort: high"));
    start(4); // the program anew
    startEngine();
    chat().openConversation(first);
    EXPECT_EQ(chat().sampling().thinking, "on");
    EXPECT_EQ(chat().sampling().reasoningEffort, "high");
    ASSERT_NO_FATAL_FAILURE(loadWith(kKnowsBoth));
    EXPECT_EQ(button()->text(), QStringLiteral("Thinking: on · Thinking effort: high"));
}

TEST_F(ThinkingTest, TheSettingsSayWhyTheyAreNotOffered)
{
    SettingsDialog dialog(settings(), engine(), m_program->network);
    auto *thinking = dialog.findChild<QComboBox *>(QStringLiteral("thinking"));
    auto *effort = dialog.findChild<QComboBox *>(QStringLiteral("reasoningEffort"));
    auto *budget = dialog.findChild<QSpinBox *>(QStringLiteral("thinkingBudget"));
    auto *help = dialog.findChild<QLabel *>(QStringLiteral("thinkingHelp"));
    ASSERT_TRUE(thinking && effort && budget && help);
    EXPECT_TRUE(thinking->isEnabled()); // without a model: for those to come
    const QString usual = help->text();

    loadStarter();
    for (const QWidget *control : {static_cast<QWidget *>(thinking), static_cast<QWidget *>(effort),
                                   static_cast<QWidget *>(budget)}) {
        EXPECT_FALSE(control->isEnabled()) << qPrintable(control->objectName());
        EXPECT_TRUE(
            control->accessibleDescription().startsWith(QStringLiteral("The loaded model")));
    }
    EXPECT_TRUE(help->text().contains(QStringLiteral("no switch"))) << qPrintable(help->text());
    EXPECT_TRUE(dialog.findChild<QComboBox *>(QStringLiteral("thinking")) == thinking);

    ASSERT_NO_FATAL_FAILURE(loadWith("{%if enable_thinking%}a{%endif%}"));
    EXPECT_TRUE(thinking->isEnabled());
    EXPECT_FALSE(effort->isEnabled());
    EXPECT_EQ(help->text(), usual);
    ASSERT_NO_FATAL_FAILURE(loadWith("{{reasoning_effort}}</think>"));
    EXPECT_FALSE(thinking->isEnabled());
    EXPECT_TRUE(effort->isEnabled());
    EXPECT_TRUE(budget->isEnabled());
    SettingsDialog later(settings(), engine(),
                         m_program->network); // opened while the model is there
    EXPECT_FALSE(later.findChild<QComboBox *>(QStringLiteral("thinking"))->isEnabled());
}

/// A model that would think until the context is full.
class EndlessThoughtsTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start(100'000);
        startEngine();
        const QString path = home.path(QStringLiteral("thinker.gguf"));
        writeEndlessThinker(path.toStdString(), {"Yes", ", it", " is."});
        LoadSettings settings;
        settings.backend = "cpu";
        settings.context = kEndlessContext;
        load(path, settings);
        write("Is it?");
        ASSERT_TRUE(waitFor([&] { return skip()->isVisible(); }));
    }
    QPushButton *skip()
    {
        return window().findChild<QPushButton *>(QStringLiteral("skipThinking"));
    }
    void expectAnswer()
    {
        ASSERT_TRUE(replied());
        EXPECT_FALSE(skip()->isVisible());
        const Message &reply = chat().messages().last();
        EXPECT_EQ(reply.state, Message::State::Complete);
        const QList<MessagePart> parts = partsOf(reply);
        ASSERT_EQ(parts.size(), 2) << qPrintable(reply.text.right(200));
        EXPECT_EQ(parts[0].kind, MessagePart::Reasoning);
        EXPECT_TRUE(reply.text.mid(parts[0].start).startsWith(QStringLiteral("hm, so, hm, ")));
        EXPECT_EQ(reply.text.mid(parts[1].start, parts[1].length), QStringLiteral("Yes, it is."));
        EXPECT_GT(reply.record[QStringLiteral("thoughtTokens")].toInt(), 0);
        EXPECT_GT(reply.record[QStringLiteral("reasoningSeconds")].toDouble(-1), 0);
        press("Ctrl+Shift+C");
        EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("Yes, it is."));
    }
};

TEST_F(EndlessThoughtsTest, EndByTheButton)
{
    QTest::mouseClick(skip(), Qt::LeftButton);
    expectAnswer();
    // And are computed again with the same end.
    ReplyReplay replay(engine());
    QSignalSpy finished(&replay, &ReplyReplay::finished);
    replay.start(chat().messages());
    ASSERT_TRUE(waitFor([&] { return !finished.isEmpty(); }));
    EXPECT_EQ(finished.first().first().value<ReplayResult>().kind, ReplayResult::Same)
        << qPrintable(finished.first().first().value<ReplayResult>().problem);
}

TEST_F(EndlessThoughtsTest, EndByTheMenu)
{
    ASSERT_TRUE(menuAction(QStringLiteral("Skip thinking"))->isEnabled());
    clickMenu(QStringLiteral("Skip thinking"));
    expectAnswer();
    EXPECT_FALSE(menuAction(QStringLiteral("Skip thinking"))->isEnabled());
}

TEST_F(EndlessThoughtsTest, EndAtTheBudgetOfTheChat)
{
    press("Esc");
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().state, Message::State::Stopped);
    EXPECT_FALSE(chat().canContinue()) << "there is no answer yet";
    QMenu *menu = composer()->thinking()->menu();
    menu->popup(composer()->thinking()->mapToGlobal(QPoint()));
    ASSERT_TRUE(waitFor([&] { return menu->isVisible(); }));
    auto *budget = menu->findChild<QAction *>(QStringLiteral("thinkingBudget.256"));
    ASSERT_NE(budget, nullptr);
    clickIn(menu, budget);
    EXPECT_EQ(chat().sampling().thinkingBudget, 256);
    press("Ctrl+R");
    expectAnswer();
    EXPECT_EQ(chat().messages().last().siblingCount, 2);
}

TEST(ThinkingOffers, OtherSettingsAreAlwaysOffered)
{
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        const bool thinks = std::string_view(setting.key) == "thinking" ||
                            std::string_view(setting.key) == "reasoningEffort" ||
                            std::string_view(setting.key) == "thinkingBudget";
        EXPECT_EQ(thinkingRefusal(setting.key, {}).isEmpty(), !thinks) << setting.key;
        EXPECT_TRUE(thinkingRefusal(setting.key, {true, true, true}).isEmpty()) << setting.key;
    }
}

} // namespace
} // namespace fireside::test
