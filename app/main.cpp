#include "app/chat/chat_controller.h"
#include "app/chat/conversation_store.h"
#include "app/chat/open_chats.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/network/connections.h"
#include "app/remote/remote_models.h"
#include "app/remote/secret_store.h"
#include "app/runtime/contained.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/program_engine.h"
#include "app/runtime/single_instance.h"
#include "app/runtime/sleep_watch.h"
#include "app/settings/app_settings.h"
#include "app/startup.h"
#include "app/tools/tool_box.h"
#include "ui/chat/link_dialog.h"
#include "ui/main_window.h"
#include "ui/program_windows.h"
#include "ui/style/language.h"

#include <QApplication>
#include <QCommandLineParser>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace {

constexpr int kUsageError = 2;

struct Texts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Main)
};

void nameProgram()
{
    QCoreApplication::setApplicationName(QStringLiteral("fireside"));
    QCoreApplication::setApplicationVersion(QStringLiteral(FIRESIDE_VERSION));
}

// Help and version need no display, which there may not be.
bool onlyPrints(int argc, char **argv)
{
    return std::any_of(argv + 1, argv + argc, [](std::string_view word) {
        return word == "--help" || word == "-h" || word == "--help-all" || word == "--version" ||
               word == "-v";
    });
}

[[noreturn]] void refuse(const QString &mistake)
{
    std::fprintf(stderr, "fireside: %s\n", qPrintable(mistake));
    std::exit(kUsageError);
}

/// The model named on the command line, or empty. Ends the program for --help, --version and
/// mistakes.
QString readArguments()
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        Texts::tr("Chat with language models that run on this computer."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("model"),
                                 Texts::tr("A GGUF file to load instead of the last one used."),
                                 QStringLiteral("[model]"));
    if (!parser.parse(QCoreApplication::arguments()))
        refuse(parser.errorText());
    parser.process(QCoreApplication::arguments()); // prints help or version, if asked for
    if (parser.positionalArguments().size() > 1)
        refuse(Texts::tr("one model at most can be named"));
    return parser.positionalArguments().value(0);
}

} // namespace

int main(int argc, char **argv)
{
    using namespace fireside;
    if (serveDriverProbe(argc, argv))
        return EXIT_SUCCESS;
    nameProgram();
    if (argc > 1 && onlyPrints(argc, argv)) {
        QCoreApplication application(argc, argv);
        readArguments();
        return EXIT_SUCCESS;
    }
    Guarded<QApplication> application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Fireside"));
    QGuiApplication::setDesktopFileName(QStringLiteral("fireside"));
    const QString modelPath = readArguments();

    SingleInstance instance(ConversationStore::defaultFolder());
    if (!instance.claim(modelPath)) {
        if (instance.firstAnswered())
            return EXIT_SUCCESS;
        std::fputs(qPrintable(Texts::tr("fireside: it is already running, but does not answer\n")),
                   stderr);
        return EXIT_FAILURE;
    }

    // In this order, so that each is gone before what it refers to.
    AppSettings settings;
    Language::apply(settings.appearance()); // before anything has its texts
    ConversationStore store;
    Network network;
    RemoteModels remote(network.connections());
    const std::unique_ptr<EngineService> ownedEngine = programEngine();
    EngineService &engine = *ownedEngine;
    engine.setElsewhere(&remote);
    ModelLibrary library;
    const std::unique_ptr<SecretStore> secrets = systemSecretStore();
    ToolBox tools(&network.gate(), secrets.get());
    OpenChats chats(settings, store, engine, &tools);
    Startup startup(settings, engine, chats, library, network, remote);
    ProgramWindows program(settings, chats, [&](ChatController &chat) {
        auto window = std::make_unique<MainWindow>(settings, engine, chat, library, network);
        window->setServers(remote);
        window->setSecondEngine(secondEngine);
        return window;
    });
    QObject::connect(&instance, &SingleInstance::raiseRequested, &startup,
                     [&](const QString &path) {
                         Startup::raise(program.window());
                         if (!path.isEmpty())
                             program.window().load(path, settings.loadOf(path));
                     });
    QObject::connect(&program, &ProgramWindows::languageChanged, &library, &ModelLibrary::rescan);
    QObject::connect(&program, &ProgramWindows::languageChanged, &tools, &ToolBox::renameBuiltIn);
    QObject::connect(&tools, &ToolBox::browserWanted, &network,
                     [&](const QUrl &address) { openForTools(address, network.connections()); });
    startup.runAfterFirstPaint(program.window(), modelPath);
    program.show();
    SleepWatch sleep(QDBusConnection::systemBus());
    QObject::connect(&sleep, &SleepWatch::goingToSleep, &engine, &EngineService::sleep);
    QObject::connect(&engine, &EngineService::readyToSleep, &sleep, &SleepWatch::ready);
    QObject::connect(&sleep, &SleepWatch::wokeUp, &engine, &EngineService::wake);

    const int status = QApplication::exec();
    library.cancel();
    engine.shutdown(); // its last words are stored
    if (!engine.shutDownCleanly()) {
        // A driver that does not return: everything is stored, so leave without waiting for it.
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}
