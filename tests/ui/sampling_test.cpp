#include "app/settings/preset_store.h"
#include "app/settings/prompt_store.h"
#include "tests/ui/program.h"
#include "ui/chat/prompt_popup.h"
#include "ui/settings/preset_bar.h"
#include "ui/settings/sampling_editor.h"

#include <QComboBox>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

namespace fireside::test {
namespace {

/// Where each value comes from, presets, and prompts, as a person meets them.
class SamplingTest : public ProgramTest
{
protected:
    template <typename Widget>
    static Widget *in(QWidget *parent, const char *name)
    {
        return parent->findChild<Widget *>(QLatin1String(name));
    }
    QDialog *dialog(const char *name)
    {
        QDialog *found = nullptr;
        waitFor([&] {
            for (auto *one : window().findChildren<QDialog *>(QLatin1String(name)))
                found = one->isVisible() ? one : found;
            return found != nullptr;
        });
        return found;
    }
    void choosePreset(QWidget *parent, const char *list, const QString &name)
    {
        auto *box = in<QComboBox>(parent, list);
        box->setCurrentIndex(box->findText(name));
        emit box->activated(box->currentIndex());
    }
};

TEST_F(SamplingTest, EachValueSaysWhereItComesFrom)
{
    start();
    PresetStore presets;
    SamplingEditor editor(presets, false);
    SamplingChoice stored;
    QObject::connect(&editor, &SamplingEditor::edited, &editor,
                     [&](const SamplingChoice &choice) { stored = choice; });
    editor.show({{SamplingSource::Model, "Qwen", {{"temperature", 0.6}}}}, {});
    const auto source = [&](const char *key) {
        auto *label = in<QLabel>(&editor, (std::string(key) + "Source").c_str());
        return label->isHidden() ? QString() : label->text();
    };
    auto *temperature = in<QDoubleSpinBox>(&editor, "temperature");
    auto *reset = in<QPushButton>(&editor, "temperatureReset");
    EXPECT_EQ(temperature->value(), 0.6);
    EXPECT_EQ(source("temperature"), QStringLiteral("Recommended by Qwen"));
    EXPECT_TRUE(reset->isHidden());
    EXPECT_EQ(source("topK"), QString());

    choosePreset(&editor, "preset", QStringLiteral("Creative"));
    EXPECT_EQ(temperature->value(), 1.2);
    EXPECT_EQ(source("temperature"), QStringLiteral("Preset Creative"));
    temperature->setValue(0.7); // the program's own default, but decided
    EXPECT_EQ(source("temperature"), QStringLiteral("Set here"));
    EXPECT_EQ(stored.own, (SettingValues{{"temperature", 0.7}}));
    EXPECT_EQ(stored.preset, "Creative");
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(temperature->value(), 1.2);
    EXPECT_TRUE(stored.own.empty());
    choosePreset(&editor, "preset", in<QComboBox>(&editor, "preset")->itemText(0));
    EXPECT_EQ(temperature->value(), 0.6);
    EXPECT_EQ(stored, SamplingChoice());
}

TEST_F(SamplingTest, WhatFewNeedIsFoldedAndSaysWhatIsSet)
{
    start();
    PresetStore presets;
    SamplingEditor editor(presets, false);
    editor.QWidget::show();
    auto *fold = in<QPushButton>(&editor, "fold0");
    auto *typical = in<QDoubleSpinBox>(&editor, "typicalP");
    EXPECT_FALSE(typical->isVisible());
    EXPECT_TRUE(in<QDoubleSpinBox>(&editor, "temperature")->isVisible());
    QTest::mouseClick(fold, Qt::LeftButton);
    EXPECT_TRUE(typical->isVisible());
    const QString before = fold->text();
    typical->setValue(0.5);
    EXPECT_EQ(fold->text(), before + QStringLiteral(" (1 set)"));
}

TEST_F(SamplingTest, WhatIsSetIsSavedAsAPreset)
{
    start();
    press("Ctrl+,");
    auto *bar = window().findChild<PresetBar *>();
    ASSERT_TRUE(bar);
    settings().setSampling(SamplingChoice());
    auto *topK = window().findChild<QSpinBox *>(QStringLiteral("topK"));
    topK->setValue(11);
    QMetaObject::invokeMethod(
        bar->findChild<QToolButton *>(QStringLiteral("presetMenu"))->menu()->actions()[0],
        "trigger");
    auto *name = qobject_cast<QInputDialog *>(dialog("presetName"));
    ASSERT_TRUE(name);
    name->setTextValue(QStringLiteral("Eleven"));
    name->accept();
    const Preset *preset = settings().presets().find(QStringLiteral("eleven"));
    ASSERT_TRUE(preset);
    EXPECT_EQ(preset->values, (SettingValues{{"topK", std::int64_t{11}}}));
    EXPECT_EQ(settings().samplingChoice().preset, "Eleven");
    EXPECT_TRUE(settings().samplingChoice().own.empty());
    EXPECT_EQ(settings().sampling().topK, 11);
    settings().presets().remove(QStringLiteral("Eleven"));
    EXPECT_EQ(settings().sampling().topK, 11) << "what was set by it stays";
    closeAll();
}

TEST_F(SamplingTest, AChatHasSettingsOfItsOwn)
{
    const qint64 id = storeChats();
    start();
    chat().openConversation(id);
    chat().setSamplingChoice({});
    settings().setSampling(SamplingChoice());
    press("Ctrl+Shift+,");
    QDialog *own = dialog("chatSettings");
    ASSERT_TRUE(own);
    in<QSpinBox>(own, "chatTopK")->setValue(13);
    EXPECT_EQ(chat().sampling().topK, 13);
    EXPECT_EQ(in<QLabel>(own, "chatTopKSource")->text(), QStringLiteral("Set for this chat"));
    EXPECT_NE(settings().sampling().topK, 13);
    EXPECT_EQ(store().conversation(id)->sampling.own, (SettingValues{{"topK", std::int64_t{13}}}));
    QTest::mouseClick(in<QPushButton>(own, "chatSettingsReset"), Qt::LeftButton);
    EXPECT_NE(chat().sampling().topK, 13);
    closeAll();
}

TEST_F(SamplingTest, PromptsComeByASlash)
{
    start();
    settings().prompts().save(
        {}, {QStringLiteral("Translate"), QStringLiteral("Into {{language}}: {{text}}"), false});
    settings().prompts().save({}, {QStringLiteral("Critic"), QStringLiteral("Find faults."), true});
    activate();
    composer()->focusText();
    type(QStringLiteral("/"));
    auto *popup = window().findChild<PromptPopup *>();
    ASSERT_TRUE(popup->isVisible());
    EXPECT_EQ(popup->count(), 3) << "two and the library";
    EXPECT_TRUE(field()->accessibleDescription().startsWith(QStringLiteral("Critic")));
    type(QStringLiteral("tra"));
    EXPECT_EQ(popup->count(), 2);
    press("Esc");
    EXPECT_TRUE(popup->isHidden());
    EXPECT_EQ(composer()->text(), QStringLiteral("/tra"));
    field()->clear();
    type(QStringLiteral("/trans"));
    press("Return");
    QDialog *asked = dialog("promptVariables");
    ASSERT_TRUE(asked);
    in<QPlainTextEdit>(asked, "variable0")->setPlainText(QStringLiteral("French"));
    in<QPlainTextEdit>(asked, "variable1")->setPlainText(QStringLiteral("yes"));
    asked->accept();
    EXPECT_EQ(composer()->text(), QStringLiteral("Into French: yes"));

    field()->clear();
    activate();
    composer()->focusText();
    type(QStringLiteral("/"));
    press("Tab"); // the first one
    EXPECT_EQ(chat().sampling().systemPrompt, "Find faults.");
    EXPECT_TRUE(composer()->text().isEmpty());
    type(QStringLiteral("a /"));
    EXPECT_TRUE(popup->isHidden()) << "only at the beginning";
    field()->clear();
}

TEST_F(SamplingTest, TheLibraryKeepsWhatIsWritten)
{
    start();
    press("Ctrl+Shift+P");
    QDialog *library = dialog("promptDialog");
    ASSERT_TRUE(library);
    QTest::mouseClick(in<QPushButton>(library, "promptNew"), Qt::LeftButton);
    in<QLineEdit>(library, "promptName")->setText(QStringLiteral("One"));
    in<QPlainTextEdit>(library, "promptText")->setPlainText(QStringLiteral("First"));
    QTest::mouseClick(in<QPushButton>(library, "promptNew"), Qt::LeftButton);
    in<QLineEdit>(library, "promptName")->setText(QStringLiteral("Two"));
    in<QPlainTextEdit>(library, "promptText")->setPlainText(QStringLiteral("Second"));
    in<QLineEdit>(library, "promptSearch")->setText(QStringLiteral("first"));
    auto *list = in<QListWidget>(library, "promptList");
    ASSERT_EQ(list->count(), 1);
    EXPECT_EQ(in<QPlainTextEdit>(library, "promptText")->toPlainText(), QStringLiteral("First"));
    in<QLineEdit>(library, "promptSearch")->clear();
    ASSERT_EQ(list->count(), 2);
    list->setCurrentRow(1);
    EXPECT_EQ(in<QLineEdit>(library, "promptName")->text(), QStringLiteral("Two"));
    in<QLineEdit>(library, "promptName")->setText(QStringLiteral("Zwei"));
    QTest::mouseClick(in<QPushButton>(library, "promptUse"), Qt::LeftButton);
    EXPECT_EQ(composer()->text(), QStringLiteral("Second"));
    EXPECT_EQ(PromptStore().prompts(),
              (QList<Prompt>{{QStringLiteral("One"), QStringLiteral("First"), false},
                             {QStringLiteral("Zwei"), QStringLiteral("Second"), false}}));
    activate();
    press("Ctrl+Shift+P");
    library = dialog("promptDialog");
    in<QListWidget>(library, "promptList")->setCurrentRow(0);
    QTest::mouseClick(in<QPushButton>(library, "promptDelete"), Qt::LeftButton);
    EXPECT_EQ(PromptStore().prompts().size(), 1);
    closeAll();
}

} // namespace
} // namespace fireside::test
