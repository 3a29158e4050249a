// Models are searched, downloaded and loaded by keys, from a server of this computer that answers
// as Hugging Face does.
#include "tests/downloads/lying_server.h"
#include "tests/support/no_space.h"
#include "tests/ui/program.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"

#include <QAbstractItemModel>
#include <QApplication>
#include <QCheckBox>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

namespace fireside::test {
namespace {

const QByteArray kCommit(40, 'c');
using State = DownloadStatus::State;

class GetModelsTest : public ProgramTest
{
protected:
    GetModelsTest()
    {
        QFile file(ModelLibrary::starterModelPath());
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        m_content = file.readAll();
        m_address.emplace("HF_ENDPOINT", m_server.url({}).toEncoded().constData());
        for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY",
                                 "HTTPS_PROXY", "ALL_PROXY", "HF_TOKEN"})
            qunsetenv(name); // only this computer is asked
    }
    void TearDown() override { end(); }

    ServerAnswer answer(const ServerRequest &request)
    {
        const QByteArray path = request.path.split('?').first();
        ServerAnswer result;
        if (path == "/api/models")
            result.body = R"([{"id":"org/tiny","downloads":7,"likes":3,"tags":["license:mit"]}])";
        else if (path == "/api/models/org/tiny")
            result.body = R"({"gated":)" + QByteArray(m_gated ? "true" : "false") +
                          R"(,"tags":["license:mit"],"sha":")" + kCommit + "\"}";
        else if (path == "/api/models/org/tiny/tree/" + kCommit)
            result.body =
                R"([{"type":"file","path":"tiny-Q5_K_M.gguf","oid":"x","size":1,"lfs":{"oid":")" +
                QCryptographicHash::hash(m_content, QCryptographicHash::Sha256).toHex() +
                R"(","size":)" + QByteArray::number(m_content.size()) + "}}]";
        else if (path.endsWith("/tiny-Q5_K_M.gguf") && m_gated)
            return statusAnswer(401, {{"X-Error-Code", "GatedRepo"}});
        else if (path.endsWith("/tiny-Q5_K_M.gguf"))
            result = file(request);
        else
            return statusAnswer(404);
        return result;
    }
    /// What follows the header's first 2 MB comes slowly, or not.
    ServerAnswer file(const ServerRequest &request)
    {
        ServerAnswer result = fileAnswer(request, m_content);
        if (m_slow && result.body.size() > (4 << 20)) {
            result.dripBytes = 200'000;
            result.dripMs = 20;
        }
        return result;
    }

    ModelPicker *picker()
    {
        for (auto *dialog : window().findChildren<ModelPicker *>()) {
            if (dialog->isVisible())
                return dialog;
        }
        return nullptr;
    }
    template <typename Widget>
    Widget *child(const char *name)
    {
        auto *widget = picker() ? picker()->findChild<Widget *>(QLatin1String(name)) : nullptr;
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    QString text(const char *label) { return child<QLabel>(label)->text(); }
    DownloadList &downloads() { return m_program->network.downloads(); }
    const DownloadItem &item() { return downloads().items().first(); }
    QString target() const
    {
        return home.modelsFolder() + QStringLiteral("/org/tiny/tiny-Q5_K_M.gguf");
    }
    bool isWhole() const
    {
        QFile stored(target());
        return stored.open(QIODevice::ReadOnly) && stored.readAll() == m_content;
    }

    void openSearch()
    {
        activate();
        press("Ctrl+Shift+L");
        ASSERT_NE(picker(), nullptr);
        picker()->activateWindow();
        ASSERT_TRUE(waitFor([&] { return QApplication::activeWindow() == picker(); }));
        ASSERT_TRUE(child<QLineEdit>("hubSearch")->hasFocus());
    }
    /// The repository's one model is chosen, and its header was read, or could not be.
    void findModel(const char *words = "tiny")
    {
        ASSERT_NO_FATAL_FAILURE(openSearch());
        type(QLatin1String(words));
        press("Return");
        ASSERT_TRUE(waitFor([&] {
            return child<QTreeView>("hubModels")->model()->rowCount() == 1;
        })) << text("hubState").toStdString();
        ASSERT_TRUE(waitFor([&] {
            const QString fit = text("hubFit");
            return (!fit.contains(QLatin1String("Estimate")) && !fit.isEmpty()) ||
                   fit.contains(QLatin1String("could not"));
        })) << text("hubFit").toStdString();
    }
    void beginDownload()
    {
        ASSERT_NO_FATAL_FAILURE(findModel());
        child<QTreeView>("hubModels")->setFocus();
        press("Return");
        ASSERT_EQ(downloads().items().size(), 1) << text("hubProblemText").toStdString();
        ASSERT_EQ(child<QTabWidget>("modelTabs")->currentIndex(), 2);
    }
    bool isDone()
    {
        return waitFor([&] {
                   return item().status.state == State::Done ||
                          item().status.state == State::Failed;
               }) &&
               item().status.state == State::Done;
    }
    bool someCame()
    {
        return waitFor([&] { return item().status.bytesDone > 1'000'000; });
    }

    QByteArray m_content;
    bool m_gated = false, m_slow = false;
    LyingServer m_server{[this](const ServerRequest &request) { return answer(request); }};
    std::optional<ScopedEnv> m_address;
};

TEST_F(GetModelsTest, AModelIsFoundDownloadedAndLoadedByKeys)
{
    start();
    startEngine();
    ASSERT_NO_FATAL_FAILURE(findModel());
    EXPECT_TRUE(child<QTreeView>("hubFound")->hasFocus());
    EXPECT_TRUE(text("hubAbout").contains(QLatin1String("mit")));
    EXPECT_TRUE(text("hubFit").startsWith(QLatin1String("Fits"))) << text("hubFit").toStdString();
    EXPECT_TRUE(text("hubFacts").contains(QLatin1String("llama")));
    EXPECT_TRUE(text("hubPlace").contains(QLatin1String("SHA-256")));
    press("Return");
    EXPECT_TRUE(child<QTreeView>("hubModels")->hasFocus());
    press("Return");
    ASSERT_EQ(downloads().items().size(), 1);
    ASSERT_TRUE(isDone()) << item().status.problem.toStdString();
    EXPECT_TRUE(isWhole());
    const auto known = [&] {
        const auto &entries = m_program->library.entries();
        return std::any_of(entries.begin(), entries.end(), [&](const ModelEntry &entry) {
            const auto &copies = entry.copies;
            return entry.path == target() ||
                   std::any_of(copies.begin(), copies.end(),
                               [&](const ModelCopy &copy) { return copy.path == target(); });
        });
    };
    EXPECT_TRUE(waitFor(known)) << "it comes into the list by itself";
    auto *load = child<QPushButton>("downloadAction");
    EXPECT_TRUE(load->hasFocus());
    press("Space");
    ASSERT_TRUE(waitFor([&] { return engine().state() == EngineState::Ready; }));
    EXPECT_EQ(engine().model().path, target());
    // Found again, it need not be downloaded again.
    ASSERT_NO_FATAL_FAILURE(findModel());
    EXPECT_EQ(child<QPushButton>("hubDownload")->text(), QStringLiteral("&Load"));
}

TEST_F(GetModelsTest, GoesOnAfterARestart)
{
    m_slow = true;
    start();
    ASSERT_NO_FATAL_FAILURE(beginDownload());
    ASSERT_TRUE(someCame());
    end();
    m_slow = false;
    const qint64 sent = m_server.bodyBytes();
    start();
    ASSERT_EQ(downloads().items().size(), 1);
    EXPECT_EQ(item().status.state, State::Queued);
    EXPECT_GT(item().status.bytesDone, 0) << "what is there is shown";
    downloads().resumeStored();
    ASSERT_TRUE(isDone()) << item().status.problem.toStdString();
    EXPECT_TRUE(isWhole());
    EXPECT_LT(m_server.bodyBytes() - sent, m_content.size()) << "nothing is asked for twice";
}

TEST_F(GetModelsTest, PausedResumedAndCancelledByKeys)
{
    m_slow = true;
    start();
    ASSERT_NO_FATAL_FAILURE(beginDownload());
    ASSERT_TRUE(someCame());
    press("Space");
    EXPECT_EQ(item().status.state, State::Paused);
    EXPECT_EQ(child<QPushButton>("downloadAction")->text(), QStringLiteral("&Resume"));
    EXPECT_TRUE(text("downloadText").startsWith(QLatin1String("Paused at")));
    press("Space");
    EXPECT_EQ(item().status.state, State::Receiving);
    ASSERT_TRUE(waitFor([&] { return item().status.bytesPerSecond > 0; }));
    press("Tab");
    press("Space");
    auto *question = picker()->findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_TRUE(question->informativeText().contains(QLatin1String("deleted")));
    for (QAbstractButton *button : question->buttons()) {
        if (question->buttonRole(button) == QMessageBox::DestructiveRole)
            button->click();
    }
    EXPECT_TRUE(downloads().items().isEmpty());
    EXPECT_TRUE(waitFor([&] { return !QFileInfo::exists(QFileInfo(target()).path()); }))
        << "nothing stays";
}

TEST_F(GetModelsTest, OfflineNothingPasses)
{
    m_slow = true;
    start();
    ASSERT_NO_FATAL_FAILURE(beginDownload());
    ASSERT_TRUE(someCame());
    closeAll();
    press("Ctrl+,");
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    dialog->showPage(SettingsDialog::Page::Privacy);
    auto *offline = dialog->findChild<QCheckBox *>(QStringLiteral("offlineSwitch"));
    offline->setFocus();
    press("Space");
    ASSERT_TRUE(offline->isChecked());
    auto *sign = window().findChild<QPushButton *>(QStringLiteral("statusOffline"));
    EXPECT_TRUE(sign->isVisible());
    EXPECT_EQ(item().status.state, State::Queued);
    const qsizetype asked = m_server.requests().size();
    closeAll();
    ASSERT_NO_FATAL_FAILURE(openSearch());
    type(QStringLiteral("tiny"));
    press("Return");
    ASSERT_TRUE(waitFor([&] { return text("hubState").contains(QLatin1String("offline")); }));
    closeAll();
    emit transcript()->linkActivated(QStringLiteral("https://example.org/"));
    auto *link = window().findChild<QMessageBox *>(QStringLiteral("linkDialog"));
    ASSERT_NE(link, nullptr);
    for (QAbstractButton *button : link->buttons())
        EXPECT_EQ(button->isEnabled(), link->buttonRole(button) == QMessageBox::RejectRole);
    closeAll();
    EXPECT_EQ(m_server.requests().size(), asked);
    const ConnectionRecord last = m_program->network.connections().records().last();
    EXPECT_FALSE(last.allowed);
    EXPECT_TRUE(last.result.contains(QLatin1String("offline")));

    // It is remembered, and what waits goes on when it is over.
    m_slow = false;
    start();
    downloads().resumeStored();
    EXPECT_TRUE(m_program->network.offline());
    EXPECT_EQ(item().status.state, State::Queued);
    EXPECT_TRUE(item().status.note.contains(QLatin1String("online again")));
    EXPECT_EQ(m_program->network.setOffline(false), QString());
    ASSERT_TRUE(isDone()) << item().status.problem.toStdString();
    EXPECT_TRUE(isWhole());
}

TEST_F(GetModelsTest, AFullDiskIsSaidAndTriedAgain)
{
    start();
    ASSERT_NO_FATAL_FAILURE(findModel());
    {
        const NoSpace full(5 << 20);
        child<QTreeView>("hubModels")->setFocus();
        press("Return");
        ASSERT_EQ(downloads().items().size(), 1);
        EXPECT_FALSE(isDone());
        EXPECT_FALSE(item().status.problem.isEmpty());
        EXPECT_TRUE(text("downloadText").startsWith(QLatin1String("Failed: ")));
    }
    EXPECT_FALSE(QFileInfo::exists(target()));
    child<QPushButton>("downloadAction")->setFocus();
    press("Space");
    ASSERT_TRUE(isDone()) << item().status.problem.toStdString();
    EXPECT_TRUE(isWhole());
}

TEST_F(GetModelsTest, TermsThatAreNotAcceptedAreNamed)
{
    m_gated = true;
    start();
    ASSERT_NO_FATAL_FAILURE(findModel("org/tiny"));
    EXPECT_TRUE(text("hubAbout").contains(QLatin1String("terms")));
    EXPECT_TRUE(text("hubFit").contains(QLatin1String("token"))) << text("hubFit").toStdString();
    auto *token = child<QPushButton>("hubTokenButton");
    ASSERT_TRUE(token->isVisible());
    QTest::mouseClick(token, Qt::LeftButton);
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    auto *field = dialog->findChild<QLineEdit *>(QStringLiteral("hubToken"));
    ASSERT_TRUE(field->isVisible());
    field->setText(QStringLiteral("hf_mine"));
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("hubTokenSave")),
                      Qt::LeftButton);
    EXPECT_TRUE(field->text().isEmpty());
    EXPECT_EQ(readHubAccess().token, "hf_mine");
    m_gated = false;
    dialog->close();
    child<QLineEdit>("hubSearch")->setFocus();
    press("Return");
    ASSERT_TRUE(waitFor(
        [&] { return m_server.requests().last().header("authorization") == "Bearer hf_mine"; }));
}

TEST_F(GetModelsTest, AnyAddressOfAFileWillDo)
{
    start();
    const QByteArray address = m_server.url(QStringLiteral("/some/tiny-Q5_K_M.gguf")).toEncoded();
    m_address.emplace("HF_ENDPOINT", "https://hub.example");
    start();
    ASSERT_NO_FATAL_FAILURE(findModel(address.constData()));
    EXPECT_TRUE(text("hubPlace").contains(QLatin1String("no checksum")));
    EXPECT_TRUE(text("hubFit").startsWith(QLatin1String("Fits"))) << text("hubFit").toStdString();
    press("Return");
    ASSERT_EQ(downloads().items().size(), 1);
    ASSERT_TRUE(isDone()) << item().status.problem.toStdString();
    EXPECT_TRUE(QFileInfo::exists(home.modelsFolder() + QStringLiteral("/tiny-Q5_K_M.gguf")));
    for (const ServerRequest &request : m_server.requests())
        EXPECT_EQ(request.header("authorization"), "");
}

TEST_F(GetModelsTest, TheWelcomeLeadsHereWhereNothingElseIs)
{
    start();
    auto *add = window().chatPanel()->findChild<QPushButton *>(QStringLiteral("welcomeModels"));
    ASSERT_NE(add, nullptr);
    QTest::mouseClick(add, Qt::LeftButton);
    ASSERT_NE(picker(), nullptr);
    EXPECT_EQ(child<QTabWidget>("modelTabs")->currentIndex(), 1);
    for (const char *wrong : {"ftp://x/y.gguf", "https://example.org/page.html",
                              "https://me:secret@example.org/a.gguf"}) {
        child<QLineEdit>("hubSearch")->setText(QLatin1String(wrong));
        QTest::mouseClick(child<QPushButton>("hubFind"), Qt::LeftButton);
        EXPECT_EQ(child<QLabel>("hubState")->property("role").toString(), QStringLiteral("error"))
            << wrong;
    }
    EXPECT_TRUE(m_server.requests().isEmpty());
}

TEST_F(GetModelsTest, ConnectionsAreListedAndCleared)
{
    start();
    ASSERT_NO_FATAL_FAILURE(findModel());
    start(); // they outlive the program
    press("Ctrl+,");
    auto *dialog = window().findChild<SettingsDialog *>();
    dialog->showPage(SettingsDialog::Page::Privacy);
    auto *list = dialog->findChild<QTreeView *>(QStringLiteral("connectionList"));
    ASSERT_GE(list->model()->rowCount(), 3);
    EXPECT_TRUE(list->model()->index(0, 2).data().toString().contains(QLatin1String("header")))
        << "the newest first";
    EXPECT_TRUE(
        list->model()->index(0, 1).data().toString().startsWith(QLatin1String("127.0.0.1")));
    dialog->findChild<QPushButton *>(QStringLiteral("connectionClear"))->setFocus();
    press("Space");
    EXPECT_EQ(list->model()->rowCount(), 0);
    EXPECT_TRUE(Network().connections().records().isEmpty());
}

} // namespace
} // namespace fireside::test
