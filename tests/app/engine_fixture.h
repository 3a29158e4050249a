#pragma once
#include "app/runtime/engine_service.h"

#include "support.h"

#include <QSignalSpy>

#include <memory>

namespace fireside::test {

const inline QString kStarter =
    QStringLiteral(FIRESIDE_SOURCE_DIR "/resources/models/fireside-starter-29m-q5_k_m.gguf");
const inline QString kTiny = QStringLiteral(FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf");

/// A service with a real engine, and everything it says.
class EngineTest : public ::testing::Test
{
protected:
    EngineTest()
        : EngineTest(std::make_unique<EngineService>())
    {}
    explicit EngineTest(std::unique_ptr<EngineService> made)
        : owned(std::move(made))
        , service(*owned)
        , loaded(&service, &EngineService::loaded)
        , loadFailed(&service, &EngineService::loadFailed)
        , text(&service, &EngineService::textAdded)
        , finished(&service, &EngineService::replyFinished)
        , failed(&service, &EngineService::replyFailed)
        , trimmed(&service, &EngineService::contextTrimmed)
    {
        service.setPatience(kPatience);
    }

    bool load(const QString &path, int context = 0)
    {
        LoadSettings settings;
        settings.context = context;
        settings.threads = 2;
        const qsizetype loads = loaded.size(), failures = loadFailed.size();
        service.loadModel(path, settings);
        const bool ended =
            waitFor([&] { return loaded.size() > loads || loadFailed.size() > failures; });
        if (!ended || loadFailed.size() == failures)
            return ended && service.hasModel();
        waitFor([&] { return service.state() != EngineState::Loading; }); // the former one is back
        return false;
    }

    static ReplyJob job(qint64 id, const QString &question, int maxTokens = 16)
    {
        ReplyJob job;
        job.id = id;
        job.messages = {{QStringLiteral("user"), question}};
        job.sampling.temperature = 0;
        job.sampling.maxTokens = maxTokens;
        return job;
    }

    bool waitForReply(qint64 id)
    {
        const auto has = [id](const QSignalSpy &spy) {
            for (const auto &signal : spy) {
                if (signal.at(0).toLongLong() == id)
                    return true;
            }
            return false;
        };
        return waitFor([&] { return has(finished) || has(failed); });
    }

    QString textOf(qint64 id) const
    {
        QString all;
        for (const auto &signal : text) {
            if (signal.at(0).toLongLong() == id)
                all += signal.at(1).toString();
        }
        return all;
    }

    static ReplyStats statsOf(const QList<QVariant> &signal)
    {
        return signal.at(1).value<ReplyStats>();
    }

    std::unique_ptr<EngineService> owned;
    EngineService &service;
    QSignalSpy loaded, loadFailed, text, finished, failed, trimmed;
};

} // namespace fireside::test
