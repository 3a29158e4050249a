#include "tests/ui/pictures.h"

#include "tests/ui/picture_chats.h"
#include "tests/ui/picture_models.h"
#include "tests/ui/program.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QStackedWidget>
#include <QTest>

#include <cstdio>

namespace fireside::test {
namespace {

class Pictures
{
public:
    explicit Pictures(const QString &folder)
        : m_folder(folder)
    {
        QDir().mkpath(folder);
        makePictureModels(m_home.path({}));
    }

    /// The program anew, with its chats and the starter model, the newest chat open.
    void begin(const char *theme, const char *language = "en", QSize size = {1120, 740})
    {
        end();
        const AppearanceSettings looks{.language = language, .theme = theme, .still = true};
        Language::apply(looks);
        Theme::apply(looks);
        QDir(m_home.path(QStringLiteral("data/fireside"))).remove(QStringLiteral("fireside.db"));
        m_program = std::make_unique<Program>();
        m_program->settings.setAppearance(looks);
        m_program->engine.start();
        wait([&] { return m_program->engine.state() != EngineState::Starting; });
        m_program->engine.loadModel(ModelLibrary::starterModelPath(), {});
        wait([&] { return m_program->engine.state() == EngineState::Ready; });
        const QList<qint64> ids = m_program->store.addTrees(pictureChats(QLatin1String(language)));
        m_program->chat.openConversation(ids.last());
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

private:
    static void wait(const std::function<bool()> &condition)
    {
        if (!QTest::qWaitFor(condition, kPatience))
            std::fprintf(stderr, "what a picture waits for did not come\n");
    }

    PrivateHome m_home;
    QString m_folder;
    std::unique_ptr<Program> m_program;
};

void forReadme(Pictures &pictures)
{
    pictures.begin("light");
    pictures.take(&pictures.window(), QStringLiteral("chat-light"));
    QDialog *picker = pictures.open(&MainWindow::showModels);
    pictures.waitForModels();
    picker->resize(1040, 640);
    pictures.take(picker, QStringLiteral("models"));
    picker->close();
    QDialog *devices = pictures.open(&MainWindow::showDeviceDetails);
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
        Page{"servers", &MainWindow::showServers},
        Page{"tools", &MainWindow::showToolServers},
    };
    struct Look
    {
        const char *theme, *language;
        QSize size;
    };
    for (const Look &look : {Look{"light", "en", {1120, 740}}, Look{"dark", "en", {800, 500}},
                             Look{"dark", "de", {800, 500}}, Look{"light", "ar", {800, 500}}}) {
        const QString prefix = QStringLiteral("%1-%2-%3")
                                   .arg(QLatin1String(look.theme), QLatin1String(look.language))
                                   .arg(look.size.width());
        pictures.begin(look.theme, look.language, look.size);
        pictures.take(&pictures.window(), prefix + QStringLiteral("-window"));
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
