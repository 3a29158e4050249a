#include "tests/ui/pictures.h"

#include "app/tools/mcp/elicitation.h"
#include "tests/support/scoped_env.h"
#include "tests/tools/auth_server.h"
#include "tests/ui/picture_chats.h"
#include "tests/ui/picture_models.h"
#include "tests/ui/program.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/tools/call_bar.h"
#include "ui/tools/input_bar.h"
#include "ui/tools/sign_in_bar.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QStackedWidget>
#include <QTest>

#include <cstdio>

namespace fireside::test {
namespace {

constexpr QSize kWindow(1120, 900);

class Pictures
{
public:
    explicit Pictures(const QString &folder)
        : m_folder(folder)
    {
        QDir().mkpath(folder);
        QDir(m_home).removeRecursively();
        QDir().mkpath(ModelLibrary::firesideFolder());
        makePictureModels(m_home);
    }
    ~Pictures() { QDir(m_home).removeRecursively(); }

    /// The program anew, with its chats and the starter model, the newest chat open.
    void begin(const char *theme, const char *language = "en", QSize size = kWindow)
    {
        end();
        const AppearanceSettings looks{.language = language, .theme = theme, .still = true};
        Language::apply(looks);
        Theme::apply(looks);
        QFile::remove(m_home + QStringLiteral("/data/fireside/fireside.db"));
        const qint64 newest =
            ConversationStore().addTrees(pictureChats(QLatin1String(language))).last();
        m_program = std::make_unique<Program>();
        m_program->settings.setAppearance(looks);
        m_program->engine.start();
        wait([&] { return m_program->engine.state() != EngineState::Starting; });
        m_program->engine.loadModel(ModelLibrary::starterModelPath(), {});
        wait([&] { return m_program->engine.state() == EngineState::Ready; });
        m_program->chat.openConversation(newest);
        window().resize(size);
        window().show();
        rest();
    }

    void end()
    {
        if (!m_program)
            return;
        m_program->engine.shutdown();
        m_program.reset();
    }

    MainWindow &window() { return m_program->window; }
    ToolBox &tools() { return m_program->tools; }

    /// Opens a dialog of the window, and returns it.
    QDialog *open(void (MainWindow::*show)())
    {
        (window().*show)();
        wait([] { return QApplication::activeModalWidget() || dialog(); });
        rest();
        return dialog();
    }

    void take(QWidget *widget, const QString &name)
    {
        rest();
        const QString path = m_folder + QLatin1Char('/') + name + QStringLiteral(".png");
        if (!widget || !widget->grab().save(path))
            std::fprintf(stderr, "no picture: %s\n", qPrintable(path));
        else
            std::printf("%s\n", qPrintable(path));
    }

    void waitForModels()
    {
        wait([&] { return !m_program->library.scanning(); });
    }

    /// Clicks the row of a dialog's list that has this text.
    static void choose(QDialog *dialog, const QString &text)
    {
        for (auto *view : dialog->findChildren<QAbstractItemView *>()) {
            const QModelIndexList rows = view->model()->match(
                view->model()->index(0, 0), Qt::DisplayRole, text, 1, Qt::MatchStartsWith);
            if (!rows.isEmpty() && view->isVisible())
                QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                                  view->visualRect(rows.first()).center());
        }
    }

    static QDialog *dialog()
    {
        for (QWidget *widget : QApplication::topLevelWidgets()) {
            if (auto *found = qobject_cast<QDialog *>(widget); found && found->isVisible())
                return found;
        }
        return nullptr;
    }

    static void rest()
    {
        constexpr int kSettled = 400; // ms: texts that are measured later, lists that are filled
        QTest::qWait(kSettled);
    }

    static void wait(const std::function<bool()> &condition)
    {
        if (!QTest::qWaitFor(condition, kPatience))
            std::fprintf(stderr, "what a picture waits for did not come\n");
    }

private:
    // Paths are seen in pictures: the same each time.
    const QString m_home = QDir::tempPath() + QStringLiteral("/fireside-pictures");
    const std::string m_root = m_home.toStdString();
    ScopedEnv m_user{"HOME", m_root.c_str()};
    ScopedEnv m_data{"XDG_DATA_HOME", (m_root + "/data").c_str()};
    ScopedEnv m_config{"XDG_CONFIG_HOME", (m_root + "/config").c_str()};
    ScopedEnv m_cache{"XDG_CACHE_HOME", (m_root + "/cache").c_str()};
    QString m_folder;
    std::unique_ptr<Program> m_program;
};

void forReadme(Pictures &pictures)
{
    pictures.begin("light");
    pictures.take(&pictures.window(), QStringLiteral("chat-light"));
    QDialog *picker = pictures.open(&MainWindow::showModels);
    pictures.waitForModels();
    picker->resize(1120, 560);
    pictures.choose(picker, QStringLiteral("Llama 3.1 8B"));
    pictures.take(picker, QStringLiteral("models"));
    picker->close();
    QDialog *devices = pictures.open(&MainWindow::showDeviceDetails);
    pictures.choose(devices, QStringLiteral("llvmpipe"));
    pictures.take(devices, QStringLiteral("devices"));
    pictures.begin("dark");
    pictures.take(&pictures.window(), QStringLiteral("chat-dark"));
    pictures.begin("light", "ar");
    pictures.take(&pictures.window(), QStringLiteral("chat-arabic"));
}

void settingsPages(Pictures &pictures, const QString &prefix)
{
    QDialog *settings = pictures.open(&MainWindow::showSettings);
    auto *pages = settings->findChild<QStackedWidget *>();
    for (int page = 0; pages && page < pages->count(); ++page) {
        static_cast<SettingsDialog *>(settings)->showPage(static_cast<SettingsDialog::Page>(page));
        pictures.take(settings, QStringLiteral("%1-settings-%2").arg(prefix).arg(page));
    }
    settings->close();
}

/// What tools and their servers ask above the message field.
void questions(Pictures &pictures, const QString &prefix)
{
    auto *call = pictures.window().findChild<CallBar *>();
    const CallQuestion question{
        0,
        0,
        QStringLiteral("files"),
        QStringLiteral("write_file"),
        QStringLiteral("Write a file"),
        QStringLiteral("Replaces the content of a file, or makes it."),
        QStringLiteral("{\n  \"path\": \"notes/journey.md\",\n  \"text\": \"# A journey\"\n}")};
    call->setQuestion(question, true);
    pictures.take(&pictures.window(), prefix + QStringLiteral("-call"));
    call->setQuestion(question, false);
    pictures.take(&pictures.window(), prefix + QStringLiteral("-call-elsewhere"));
    call->setQuestion({}, false);

    auto *input = pictures.window().findChild<InputBar *>();
    const auto ask = [&](qint64 id, const char *params) {
        QString problem;
        const auto request =
            mcp::readInputRequest(*parsedJson(params), QStringLiteral("travel"), problem);
        input->setEntry(InputQueue::Entry{id, *request});
    };
    ask(1, R"({"message":"Which flight?","requestedSchema":{"properties":{
        "from":{"type":"string","title":"From","description":"Three letters","pattern":"^[A-Z]{3}$","default":"tx"},
        "class":{"type":"string","oneOf":[{"const":"e","title":"Economy"},{"const":"b","title":"Business"}]},
        "meal":{"type":"boolean","title":"With a meal"},
        "days":{"type":"array","title":"Days","items":{"type":"string","enum":["Monday","Tuesday"]}}},
        "required":["from","class"]}})");
    input->findChild<QPushButton *>(QStringLiteral("inputAccept"))->click();
    pictures.take(&pictures.window(), prefix + QStringLiteral("-form"));
    ask(2, R"({"mode":"url","message":"Pay for the flight","elicitationId":"e",
        "url":"https://pay.example/checkout/7f3a9c?flight=TXL-CAI&back=https%3A%2F%2Ftravel.example%2Fdone"})");
    pictures.take(&pictures.window(), prefix + QStringLiteral("-page"));
    input->setEntry({});

    AuthServer server;
    McpServerConfig config{.name = QStringLiteral("travel")};
    config.url = QString::fromStdString(server.address() + "/mcp");
    pictures.tools().start();
    pictures.tools().putServer(config, {});
    auto *signIn = pictures.window().findChild<SignInBar *>();
    Pictures::wait([&] { return signIn->isVisible(); });
    pictures.take(&pictures.window(), prefix + QStringLiteral("-sign-in"));
    pictures.tools().signIn(config.name);
    Pictures::wait([&] { return signIn->accessibleName().contains(config.name); });
    pictures.take(&pictures.window(), prefix + QStringLiteral("-signing-in"));
    pictures.tools().removeServer(config.name);
}

void everyPage(Pictures &pictures)
{
    struct Page
    {
        const char *name;
        void (MainWindow::*show)();
    };
    constexpr std::array kPages{
        Page{"models", &MainWindow::showModels},
        Page{"get-models", &MainWindow::getModels},
        Page{"downloads", &MainWindow::showDownloads},
        Page{"chat-settings", &MainWindow::showChatSettings},
        Page{"devices", &MainWindow::showDeviceDetails},
        Page{"first-hour", &MainWindow::showFirstHour},
        Page{"servers-help", &MainWindow::showServersHelp},
        Page{"tools", &MainWindow::showToolServers},
    };
    struct Look
    {
        const char *theme, *language;
        QSize size;
    };
    for (const Look &look : {Look{"light", "en", kWindow}, Look{"dark", "en", {800, 500}},
                             Look{"dark", "de", {800, 500}}, Look{"light", "ar", {800, 500}}}) {
        const QString prefix = QStringLiteral("%1-%2-%3")
                                   .arg(QLatin1String(look.theme), QLatin1String(look.language))
                                   .arg(look.size.width());
        pictures.begin(look.theme, look.language, look.size);
        pictures.take(&pictures.window(), prefix + QStringLiteral("-window"));
        questions(pictures, prefix);
        for (const Page &page : kPages) {
            QDialog *dialog = pictures.open(page.show);
            pictures.take(dialog, prefix + QLatin1Char('-') + QLatin1String(page.name));
            if (dialog)
                dialog->close();
            Pictures::rest();
        }
        settingsPages(pictures, prefix);
    }
}

} // namespace

int drawPictures(const QString &folder, bool pages)
{
    Pictures pictures(folder);
    if (pages)
        everyPage(pictures);
    else
        forReadme(pictures);
    pictures.end();
    return 0;
}

} // namespace fireside::test
