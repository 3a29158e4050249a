#include "app/chat/chat_controller.h"
#include "engine_fixture.h"

#include <QCoreApplication>
#include <QThread>

#include <memory>
#include <random>

namespace fireside::test {
namespace {

// Whatever the user does in whatever order: every request is answered exactly once, the state is
// one of the possible ones, and nothing is left running.
TEST(WorkerRandomTest, threeHundredOperations)
{
    std::mt19937 random(20'261'120);
    const auto pick = [&](int below) {
        return static_cast<int>(random() % static_cast<unsigned>(below));
    };
    ConversationStore store(newFolder());
    auto service = std::make_unique<EngineService>();
    auto chat = std::make_unique<ChatController>(store, *service);
    int loads = 0, answers = 0;
    const auto listen = [&] {
        QObject::connect(service.get(), &EngineService::loadStarted, [&] { ++loads; });
        QObject::connect(service.get(), &EngineService::loaded, [&] { ++answers; });
        QObject::connect(service.get(), &EngineService::loadFailed, [&] { ++answers; });
    };
    listen();
    QString bad = newFolder() + QStringLiteral("/bad.gguf");
    writeFile(bad, "no model");
    const QStringList models{kTiny, kStarter, kTiny, bad};
    LoadSettings settings;
    settings.threads = 2;
    settings.context = 1024;
    for (int step = 0; step < 300; ++step) {
        switch (pick(12)) {
        case 0:
            service->loadModel(models[pick(4)], settings);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
            chat->send(QStringLiteral("message %1").arg(step));
            break;
        case 5:
        case 6:
            chat->stop();
            break;
        case 7:
            chat->regenerate();
            break;
        case 8:
            chat->newConversation();
            break;
        case 9: {
            const auto list = chat->conversations();
            if (!list.isEmpty())
                chat->openConversation(list[pick(static_cast<int>(list.size()))].id);
            break;
        }
        case 10:
            service->stop();
            break;
        default:
            if (pick(8) == 0) { // the window is closed and opened again
                service->shutdown();
                EXPECT_TRUE(service->shutDownCleanly());
                chat.reset();
                service = std::make_unique<EngineService>();
                chat = std::make_unique<ChatController>(store, *service);
                listen();
                loads = answers = 0;
            } else if (const auto list = chat->conversations(); pick(3) == 0 && !list.isEmpty()) {
                chat->deleteConversation(list.first().id);
            }
        }
        const int turns = pick(4) * 10;
        for (int i = 0; i < turns; ++i) {
            QCoreApplication::processEvents();
            QThread::msleep(1);
        }
    }
    chat->stop();
    service->stop();
    ASSERT_TRUE(waitFor(
        [&] {
            return !chat->replying() && (service->state() == EngineState::Ready ||
                                         service->state() == EngineState::NoModel ||
                                         service->state() == EngineState::Starting);
        },
        60'000));
    EXPECT_EQ(loads, answers);
    // Every stored reply has come to its end.
    for (const ConversationSummary &summary : store.list()) {
        const auto row = store.conversation(summary.id);
        for (const Message &message : store.path(row->currentLeaf))
            EXPECT_NE(message.state, Message::State::Streaming) << message.id;
    }
    // And it still works.
    bool ready = false;
    QObject::connect(service.get(), &EngineService::loaded, [&] { ready = true; });
    service->loadModel(kTiny, settings);
    ASSERT_TRUE(waitFor([&] { return ready; }, 60'000));
}

} // namespace
} // namespace fireside::test
