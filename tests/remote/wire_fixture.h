#pragma once
#include "app/network/connections.h"
#include "app/remote/remote_models.h"
#include "recordings.h"
#include "tests/downloads/lying_server.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QHash>
#include <QStandardPaths>

#include <functional>
#include <gtest/gtest.h>

namespace fireside::test {

/// False after a time that no working machine needs.
inline bool waitFor(const std::function<bool()> &condition, int milliseconds = 600'000)
{
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.elapsed() > milliseconds)
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    }
    return true;
}

inline ServerAnswer eventsAnswer(const QByteArray &body)
{
    ServerAnswer answer;
    answer.headers = {{"Content-Type", "text/event-stream"}};
    answer.body = body;
    answer.chunked = true;
    return answer;
}

inline ServerAnswer jsonAnswer(int status, const QByteArray &body,
                               QList<QPair<QByteArray, QByteArray>> headers = {})
{
    ServerAnswer answer;
    answer.status = status;
    answer.headers = std::move(headers);
    answer.headers.append(qMakePair(QByteArray("Content-Type"), QByteArray("application/json")));
    answer.body = body;
    return answer;
}

inline const QByteArray kVllmModels =
    R"({"object":"list","data":[{"id":"big","object":"model","owned_by":"vllm","max_model_len":4096}]})";

inline RemotePatience hasty()
{
    RemotePatience patience;
    patience.firstWait = std::chrono::milliseconds(1);
    patience.collectMs = 1;
    return patience;
}

/// No server is known when the test begins.
struct NoServers
{
    NoServers()
    {
        for (const char *name : {"servers.json", "server-keys.json"})
            QFile::remove(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
                          QStringLiteral("/fireside/") + QLatin1String(name));
    }
};

/// A keyring of this test.
class FakeKeyring : public SecretStore
{
public:
    struct State
    {
        QHash<QString, QByteArray> secrets;
        QString problem;
        int reads = 0;
    };
    explicit FakeKeyring(std::shared_ptr<State> state)
        : m_state(std::move(state))
    {}
    void read(const QString &name, Secret answer) override
    {
        ++m_state->reads;
        answer(m_state->problem.isEmpty() ? m_state->secrets.value(name) : QByteArray(),
               m_state->problem);
    }
    void write(const QString &name, const QByteArray &secret, Done answer) override
    {
        if (m_state->problem.isEmpty())
            m_state->secrets[name] = secret;
        answer(m_state->problem);
    }
    void remove(const QString &name, Done answer) override
    {
        m_state->secrets.remove(name);
        answer({});
    }

private:
    std::shared_ptr<State> m_state;
};

} // namespace fireside::test
