#pragma once
#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"
#include "tests/support/starter.h"
#include "wire_fixture.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace fireside::test {

inline const QString kStarterFile = QString::fromStdString(starterModel().string());

/// The program without its window, and a server that answers as vLLM does, while it is there.
class RemoteFixture : public testing::Test
{
protected:
    RemoteFixture()
        : server([this](const ServerRequest &request) { return answer(request); })
    {
        engine.setElsewhere(&remote);
        chat.namer().setOn(false);
        RemoteServer gpu;
        gpu.address = server.url(QStringLiteral("/v1"));
        id = remote.servers().store(gpu, std::nullopt);
        EXPECT_TRUE(waitFor([this] { return !remote.servers().all().isEmpty(); }));
        path = remotePath(id, QStringLiteral("big"));
    }

    virtual ServerAnswer answer(const ServerRequest &request)
    {
        if (!there)
            return jsonAnswer(503, R"({"error":{"message":"down"}})");
        return request.path == "/v1/models" ? jsonAnswer(200, kVllmModels) : eventsAnswer(stream);
    }
    bool load(const QString &model)
    {
        QSignalSpy loaded(&engine, &EngineService::loaded),
            failed(&engine, &EngineService::loadFailed);
        LoadSettings settings;
        settings.context = 512;
        settings.threads = 2;
        engine.loadModel(model, settings);
        EXPECT_TRUE(waitFor([&] { return loaded.size() + failed.size() > 0; }));
        if (!failed.isEmpty())
            failure = failed.last().at(1).toString();
        return !loaded.isEmpty();
    }
    const Message &say(const char *text)
    {
        SamplingSettings brief;
        brief.maxTokens = 8;
        brief.temperature = 0;
        chat.setSampling(brief);
        chat.send(QLatin1String(text));
        EXPECT_TRUE(waitFor([this] { return !chat.replying(); }));
        return chat.messages().last();
    }

    bool there = true;
    QByteArray stream = kVllm;
    LyingServer server;
    QTemporaryDir folder;
    NoServers none;
    Connections connections;
    RemoteModels remote{connections,
                        std::make_unique<FakeKeyring>(std::make_shared<FakeKeyring::State>()),
                        hasty()};
    EngineService engine;
    ConversationStore store{folder.path()};
    ChatController chat{store, engine};
    QString id, path, failure;
};

} // namespace fireside::test
