#include "app/chat/chat_controller.h"
#include "engine/engine.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"
#include "tests/support/seed.h"

#include <QCoreApplication>
#include <QThread>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>

namespace fireside::test {
namespace {

using At = DeviceScript::At;

constexpr int kOperationsPerSeed = 100;

int operationsInAll()
{
    const char *const given = std::getenv("FIRESIDE_RANDOM_OPERATIONS");
    return given != nullptr ? std::atoi(given) : 2000;
}

/// The window of somebody who does anything at any time, on a computer whose card fails at times.
class RandomUser
{
public:
    explicit RandomUser(unsigned seed)
        : m_random(seed)
        , m_store(newFolder())
    {
        m_settings.threads = 2;
        m_settings.context = 1024;
        const QString bad = newFolder() + QStringLiteral("/bad.gguf");
        writeFile(bad, "no model");
        m_models = {kTiny, kStarter, kTiny, bad};
        openWindow();
    }

    void act()
    {
        switch (pick(16)) {
        case 0:
        case 1:
            return m_engine->loadModel(m_models[pick(4)], m_settings);
        case 2:
        case 3:
        case 4:
        case 5:
            return m_chat->send(QStringLiteral("message %1").arg(++m_sent));
        case 6:
        case 7:
            return m_chat->stop();
        case 8:
            return m_chat->regenerate();
        case 9:
            return m_chat->newConversation();
        case 10:
            return openSomeConversation();
        case 11:
            return branch();
        case 12:
            return changeSettings();
        case 13:
            return breakSomething();
        case 14:
            return m_engine->stop();
        default:
            return tidy();
        }
    }
    void wait()
    {
        for (int turns = pick(4) * 4; turns > 0; --turns) {
            QCoreApplication::processEvents();
            QThread::msleep(1);
        }
    }
    /// Every request has been answered, nothing is left running, and all of it still works.
    void expectOrder()
    {
        m_chat->stop();
        m_engine->stop();
        ASSERT_TRUE(waitFor([&] {
            return !m_chat->replying() && (m_engine->state() == EngineState::Ready ||
                                           m_engine->state() == EngineState::NoModel ||
                                           m_engine->state() == EngineState::Starting);
        })) << "state "
            << static_cast<int>(m_engine->state());
        EXPECT_FALSE(m_loading);
        for (const ConversationSummary &summary : m_store.list()) {
            const auto row = m_store.conversation(summary.id);
            for (const Message &message : m_store.path(row->currentLeaf))
                EXPECT_NE(message.state, Message::State::Streaming) << message.id;
        }
        m_card->forget();
        m_cpu->forget();
        LoadSettings anywhere = m_settings; // a card that hung is not taken again
        anywhere.backend = "auto";
        m_engine->loadModel(kTiny, anywhere);
        ASSERT_TRUE(waitFor([&] { return m_engine->state() == EngineState::Ready; }));
        m_chat->newConversation();
        SamplingSettings brief;
        brief.maxTokens = 3;
        m_chat->setSampling(brief);
        m_chat->send(QStringLiteral("hello"));
        ASSERT_TRUE(waitFor([&] { return !m_chat->replying(); }));
        ASSERT_EQ(m_chat->messages().size(), 2);
        EXPECT_EQ(m_chat->messages().last().state, Message::State::Complete);
    }

private:
    int pick(int below) { return static_cast<int>(m_random() % static_cast<unsigned>(below)); }

    void openWindow()
    {
        m_engine = std::make_unique<EngineService>(fakeEngine(m_card, m_cpu));
        m_engine->setPatience(kPatience);
        m_chat = std::make_unique<ChatController>(m_store, *m_engine);
        m_loading = false;
        QObject::connect(m_engine.get(), &EngineService::loadStarted, [this] {
            EXPECT_FALSE(m_loading);
            m_loading = true;
        });
        QObject::connect(m_engine.get(), &EngineService::loaded, [this] {
            EXPECT_TRUE(m_loading);
            m_loading = false;
        });
        QObject::connect(m_engine.get(), &EngineService::loadFailed, [this] { m_loading = false; });
        m_engine->start();
    }
    void openSomeConversation()
    {
        const auto list = m_chat->conversations();
        if (!list.isEmpty())
            m_chat->openConversation(list[pick(static_cast<int>(list.size()))].id);
    }
    void branch()
    {
        const QList<Message> &path = m_chat->messages();
        if (path.isEmpty())
            return;
        const Message message = path[pick(static_cast<int>(path.size()))];
        if (pick(2) == 0 && message.role == QLatin1String("user"))
            m_chat->edit(message.id, QStringLiteral("edited %1").arg(++m_sent));
        else
            m_chat->showSibling(message.id, pick(2) == 0 ? -1 : 1);
    }
    void changeSettings()
    {
        constexpr std::array backends{"auto", "cpu", "vulkan", "auto"};
        m_settings.backend = backends[static_cast<std::size_t>(pick(4))];
        m_settings.context = 256 << pick(3);
        SamplingSettings sampling;
        sampling.temperature = pick(3) * 0.5;
        sampling.repeatPenalty = pick(3) == 0 ? 1.2 : 1;
        sampling.maxTokens = pick(2) * 20;
        m_chat->setSampling(sampling);
    }
    void breakSomething()
    {
        constexpr std::array places{At::Open, At::Allocate, At::Weight, At::Finish,
                                    At::Copy, At::Pass,     At::Op,     At::Sync};
        DeviceScript::Fault fault;
        fault.at = places[static_cast<std::size_t>(pick(static_cast<int>(places.size())))];
        fault.in = 1 + pick(fault.at == At::Op ? 400 : 20);
        fault.kind = pick(3) == 0 ? ErrorKind::Memory : ErrorKind::Device;
        fault.hangs = fault.kind == ErrorKind::Device && pick(8) == 0;
        (pick(8) == 0 ? m_cpu : m_card)->fail(fault);
    }
    void tidy()
    {
        const auto list = m_chat->conversations();
        if (pick(6) == 0) { // the window is closed and opened again
            m_engine->shutdown();
            EXPECT_TRUE(m_engine->shutDownCleanly());
            m_chat.reset();
            openWindow();
        } else if (pick(3) == 0 && !list.isEmpty()) {
            m_chat->deleteConversations({list.first().id});
        }
    }

    std::mt19937 m_random;
    ConversationStore m_store;
    std::shared_ptr<DeviceScript> m_card = std::make_shared<DeviceScript>(),
                                  m_cpu = std::make_shared<DeviceScript>();
    std::unique_ptr<EngineService> m_engine;
    std::unique_ptr<ChatController> m_chat;
    LoadSettings m_settings;
    QStringList m_models;
    bool m_loading = false;
    int m_sent = 0;
};

// FIRESIDE_RANDOM_OPERATIONS says how many in all, FIRESIDE_TEST_SEED where they begin.
TEST(WorkerRandomTest, whateverIsDoneInWhateverOrder)
{
    const int users = std::max(1, operationsInAll() / kOperationsPerSeed);
    for (int i = 0; i < users && !testing::Test::HasFailure(); ++i) {
        const unsigned from = seed() + static_cast<unsigned>(i);
        SCOPED_TRACE(testing::Message() << "FIRESIDE_TEST_SEED=" << from);
        RandomUser user(from);
        for (int step = 0; step < kOperationsPerSeed; ++step) {
            user.act();
            user.wait();
        }
        user.expectOrder();
    }
}

} // namespace
} // namespace fireside::test
