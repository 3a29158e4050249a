#include "app/chat/chat_controller.h"
#include "app/chat/comparison.h"
#include "program.h"
#include "tests/downloads/lying_server.h"
#include "ui/backend/elided_text.h"
#include "ui/models/model_picker.h"
#include "ui/servers/server_dialog.h"
#include "ui/servers/servers_page.h"
#include "ui/settings/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>
#include <QTreeView>

namespace fireside::test {
namespace {

ServerAnswer told(int status, const QByteArray &type, const QByteArray &body)
{
    ServerAnswer answer;
    answer.status = status;
    answer.headers = {{"Content-Type", type}};
    answer.body = body;
    return answer;
}

/// A server is added, used and removed with the window alone.
class ServersTest : public ProgramTest
{
protected:
    ServersTest()
        : server([this](const ServerRequest &request) {
            if (request.header("authorization") != "Bearer sesame")
                return told(401, "application/json", R"({"error":{"message":"no key"}})");
            if (!there)
                return told(503, "application/json", "{}");
            return request.path == "/v1/models"
                       ? told(200, "application/json",
                              R"({"data":[{"id":"big","owned_by":"vllm","max_model_len":4096}]})")
                       : told(200, "text/event-stream",
                              "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},"
                              "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":41,"
                              "\"completion_tokens\":4}}\n\ndata: [DONE]\n\n");
        })
    {
        start();
        startEngine();
    }
    SettingsDialog *dialog() { return window().findChild<SettingsDialog *>(); }
    ServersPage *page() { return window().findChild<ServersPage *>(); }
    ServerDialog *form() { return window().findChild<ServerDialog *>(); }
    template <typename Widget>
    Widget *in(QWidget *parent, const char *name)
    {
        auto *widget = parent->findChild<Widget *>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    void openPage()
    {
        press("Ctrl+,");
        ASSERT_TRUE(waitFor([this] { return dialog() && dialog()->isVisible(); }));
        dialog()->showPage(SettingsDialog::Page::Servers);
    }
    /// With a key that is kept until the program ends: the test has no keyring.
    void fill(const char *key)
    {
        in<QPushButton>(page(), "serverAdd")->click();
        ASSERT_TRUE(waitFor([this] { return form() && form()->isVisible(); }));
        in<QLineEdit>(form(), "serverAddress")->setText(server.url({}).toString());
        in<QLineEdit>(form(), "serverKey")->setText(QLatin1String(key));
        auto *place = in<QComboBox>(form(), "serverKeyPlace");
        place->setCurrentIndex(place->findData(static_cast<int>(KeyPlace::Session)));
    }
    QString result() { return in<QLabel>(form(), "serverResult")->text(); }
    void addServer()
    {
        openPage();
        fill("sesame");
        in<QPushButton>(form(), "serverSave")->click();
        ASSERT_TRUE(waitFor([this] { return m_list()->count() == 1 && !form(); }));
    }
    QListWidget *m_list() { return in<QListWidget>(page(), "serverList"); }
    RemoteModels &remote() { return m_program->remote; }
    QString reason() { return in<ElidedButton>(&window(), "statusReason")->accessibleName(); }

    bool there = true;
    LyingServer server;
};

TEST_F(ServersTest, TheConnectionIsTested)
{
    openPage();
    fill("wrong");
    in<QPushButton>(form(), "serverTest")->click();
    ASSERT_TRUE(
        waitFor([this] { return result().contains(QLatin1String("does not accept the key")); }));
    in<QLineEdit>(form(), "serverKey")->setText(QStringLiteral("sesame"));
    in<QPushButton>(form(), "serverTest")->click();
    ASSERT_TRUE(waitFor([this] { return result().contains(QLatin1String("big (4,096 tokens)")); }))
        << result().toStdString();
    EXPECT_TRUE(result().startsWith(QLatin1String("vLLM answers")));
    in<QLineEdit>(form(), "serverAddress")->setText(QStringLiteral("ftp://x"));
    in<QPushButton>(form(), "serverSave")->click();
    EXPECT_TRUE(result().contains(QLatin1String("no address"))) << result().toStdString();
    in<QLineEdit>(form(), "serverAddress")->setText(QStringLiteral("http://192.0.2.1"));
    EXPECT_TRUE(in<QLabel>(form(), "serverWarning")->isVisible());
    in<QLineEdit>(form(), "serverAddress")->setText(QStringLiteral("https://192.0.2.1"));
    EXPECT_FALSE(in<QLabel>(form(), "serverWarning")->isVisible());
    EXPECT_TRUE(remote().servers().all().isEmpty());
}

TEST_F(ServersTest, ItsModelIsChosenInThePickerAndAnswers)
{
    addServer();
    dialog()->close();
    window().showModels();
    auto *picker = window().findChild<ModelPicker *>();
    ASSERT_NE(picker, nullptr);
    auto *search = in<QLineEdit>(picker, "modelSearch");
    auto *view = in<QTreeView>(picker, "modelList");
    search->setText(QStringLiteral("big"));
    ASSERT_TRUE(waitFor([&] { return view->model()->rowCount() == 1; }));
    view->setCurrentIndex(view->model()->index(0, 0));
    auto *use = in<QPushButton>(picker, "modelLoad");
    EXPECT_EQ(use->text(), QLatin1String("&Use"));
    EXPECT_FALSE(in<QPushButton>(picker, "modelDelete")->isEnabled());
    EXPECT_TRUE(in<QLabel>(picker, "detailsFit")->text().contains(QLatin1String("http:")));
    // In Qt 6.4 a form lays out hidden labels with wrapped text beyond the end of its list.
    const auto *details = in<QWidget>(picker, "modelDetails");
    int hidden = 0;
    for (const QLabel *label : details->findChildren<QLabel *>())
        hidden += label->isHidden() && label->hasHeightForWidth() ? 1 : 0;
    EXPECT_GE(hidden, 6);
    EXPECT_TRUE(details->findChildren<QFormLayout *>().isEmpty());
    use->click();
    ASSERT_TRUE(waitFor([this] { return engine().state() == EngineState::Ready; }));
    EXPECT_TRUE(reason().contains(QLatin1String("nothing is computed here")))
        << reason().toStdString();
    EXPECT_FALSE(in<QWidget>(&window(), "statusMemory")->isVisible());
    EXPECT_TRUE(in<QWidget>(&window(), "statusContext")->isVisible());
    write("Hi");
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().text, QLatin1String("Hello"));
    // Settings of this computer's models are none of it.
    LoadSettings other = settings().load();
    other.context = 1024;
    settings().setLoad(other);
    window().showSettingsPage(SettingsDialog::Page::Backend);
    EXPECT_TRUE(in<QPushButton>(dialog(), "reloadNow")->parentWidget()->isHidden());
}

// Beside a model of this computer. The key is kept for the session: only the first one's servers
// know it.
TEST_F(ServersTest, ItsModelAnswersBesideOneOfThisComputer)
{
    addServer();
    dialog()->close();
    loadStarter();
    window().compare(true);
    Comparison *both = window().comparison();
    ASSERT_NE(both, nullptr);
    both->load(remotePath(remote().servers().all().first().id, QStringLiteral("big")), {});
    ASSERT_TRUE(waitFor([&] { return both->secondEngine().state() == EngineState::Ready; }));
    EXPECT_TRUE(both->turnsReason().isEmpty()) << "both answer at once";
    chat().send(QStringLiteral("Hi"));
    ASSERT_TRUE(waitFor([&] { return both->busy(); }));
    ASSERT_TRUE(waitFor([&] { return !both->busy() && !chat().replying(); }));
    ASSERT_EQ(both->second().messages().size(), 2);
    EXPECT_EQ(both->second().messages().last().text, QLatin1String("Hello"))
        << both->second().messages().last().error.toStdString();
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
    EXPECT_EQ(chat().messages().first().id, both->second().messages().first().id);
}

TEST_F(ServersTest, WhoAnswersInItsPlaceIsSaid)
{
    addServer();
    auto *fallback = in<QCheckBox>(page(), "serverFallback");
    fallback->click();
    EXPECT_TRUE(remote().servers().fallsBack());
    dialog()->close();
    LoadSettings cpu;
    cpu.backend = "cpu";
    engine().setFallback(ModelLibrary::starterModelPath(), cpu);
    engine().loadModel(remotePath(remote().servers().all().first().id, QStringLiteral("big")), {});
    ASSERT_TRUE(waitFor([this] { return engine().state() == EngineState::Ready; }));
    server.setHandler([](const ServerRequest &) { return told(404, "application/json", "{}"); });
    write("Hi"); // no model there: that is no case for it
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().state, Message::State::Failed);
}

TEST_F(ServersTest, ItIsChangedAndRemoved)
{
    addServer();
    in<QPushButton>(page(), "serverEdit")->click();
    ASSERT_TRUE(waitFor([this] { return form() && form()->isVisible(); }));
    EXPECT_TRUE(in<QLineEdit>(form(), "serverKey")->text().isEmpty());
    in<QLineEdit>(form(), "serverName")->setText(QStringLiteral("The big one"));
    in<QPlainTextEdit>(form(), "serverHeaders")->setPlainText(QStringLiteral("X-Team: red"));
    in<QPushButton>(form(), "serverSave")->click();
    ASSERT_TRUE(waitFor([this] {
        return m_list()->count() == 1 &&
               m_list()->item(0)->text().startsWith(QLatin1String("The big one"));
    }));
    ASSERT_TRUE(waitFor([this] {
        return !server.requests().isEmpty() && server.requests().last().header("x-team") == "red";
    }));
    EXPECT_EQ(server.requests().last().header("authorization"), "Bearer sesame"); // as it was
    in<QPushButton>(page(), "serverRemove")->click();
    QWidget *box = QApplication::activeModalWidget();
    ASSERT_NE(box, nullptr);
    for (QPushButton *button : box->findChildren<QPushButton *>())
        if (button->text() == QLatin1String("Remove"))
            button->click();
    ASSERT_TRUE(waitFor([this] { return m_list()->count() == 0; }));
    EXPECT_TRUE(remote().servers().all().isEmpty());
}

TEST_F(ServersTest, TheHelpIsThere)
{
    openPage();
    in<QPushButton>(page(), "serverHelp")->click();
    QTextBrowser *text = nullptr;
    ASSERT_TRUE(waitFor([&] {
        text = window().findChild<QTextBrowser *>(QStringLiteral("helpText"));
        return text && text->isVisible();
    }));
    EXPECT_TRUE(text->toPlainText().contains(QLatin1String("--tensor-parallel-size")));
}

} // namespace
} // namespace fireside::test
