#include "app/runtime/model_server.h"

#include "app/runtime/server_key.h"
#include "app/runtime/window_models.h"
#include "app/server/server.h"
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <QtConcurrent>

#include <mutex>
#include <thread>

namespace fireside {
namespace {

QDateTime timeOf(std::chrono::system_clock::time_point point)
{
    return QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(point.time_since_epoch()).count());
}

} // namespace

struct ModelServer::Run
{
    Run(server::ServedModels &models, server::ServerOptions options)
        : server(models, std::move(options))
        , thread([this](const std::stop_token &stop) { serve(stop); })
    {}
    void serve(const std::stop_token &stop)
    {
        containExceptions(
            "model_server", [&] { server.run(stop); },
            [this](const Error &error) {
                const std::lock_guard lock(mutex);
                problem = error.what();
            });
    }
    server::Server server;
    std::mutex mutex;
    std::string problem; // with the mutex: why it does not run any more
    std::jthread thread; // last: it uses the others
};

ModelServer::ModelServer(QObject *parent)
    : QObject(parent)
    , m_models(std::make_unique<WindowModels>(
          [this] { QMetaObject::invokeMethod(this, &ModelServer::wakeWanted); }))
{
    connect(&m_stopping, &QFutureWatcher<void>::finished, this, [this] {
        m_ending = false;
        goOn();
    });
}

ModelServer::~ModelServer()
{
    close();
}

void ModelServer::apply(const ServerSettings &settings, const SamplingChoice &sampling)
{
    const QString key = serverKey();
    const bool same = settings == m_wanted && key == m_key && m_problem.isEmpty();
    if (same && (sampling == m_sampling || inUse()))
        return;
    m_wanted = settings;
    m_sampling = sampling;
    m_key = key;
    stop();
}

void ModelServer::setOffline(bool offline)
{
    if (std::exchange(m_offline, offline) != offline && m_wanted.on &&
        !server::isLoopback(m_wanted.host))
        stop();
}

/// What runs ends on another thread: it tells its clients first.
void ModelServer::stop()
{
    if (m_ending)
        return; // goOn() comes
    if (!m_run)
        return goOn();
    m_ending = true;
    m_stopping.setFuture(QtConcurrent::run([run = std::exchange(m_run, nullptr)]() mutable {
        containExceptions("model_server.stop", [&] { run.reset(); });
    }));
    emit changed();
}

void ModelServer::goOn()
{
    if (m_wanted.on && !m_closed)
        start();
    else
        m_problem.clear();
    if (!m_run)
        emit sharingWanted(0, {});
    emit changed();
}

void ModelServer::start()
{
    server::ServerOptions options;
    options.guard.host = m_wanted.host;
    options.guard.port = m_wanted.port;
    if (!m_key.isEmpty())
        options.guard.keys = {{{}, m_key.toStdString()}};
    options.guard.origins = m_wanted.origins;
    m_problem.clear();
    if (m_offline && !server::isLoopback(m_wanted.host)) {
        m_problem = tr("The program is offline: other computers are not let in");
        return;
    }
    try {
        m_run = std::make_shared<Run>(*m_models, std::move(options));
    } catch (const std::exception &error) {
        m_problem = QString::fromStdString(printable(error.what()));
        return;
    }
    m_sinceStatus.restart();
    emit sharingWanted(m_wanted.sequences, m_sampling);
}

void ModelServer::close()
{
    if (std::exchange(m_closed, true))
        return;
    m_run.reset();
    m_stopping.waitForFinished();
    emit sharingWanted(0, {});
}

server::ModelDesk &ModelServer::desk()
{
    return m_models->desk();
}

bool ModelServer::inUse() const
{
    return m_run && m_models->desk().busy();
}

ServerStatus ModelServer::status()
{
    ServerStatus status;
    status.problem = m_problem;
    if (!m_run)
        return status;
    if (const std::lock_guard lock(m_run->mutex); !m_run->problem.empty()) {
        status.problem = QString::fromStdString(printable(m_run->problem));
        return status;
    }
    status.running = true;
    const QString host = m_wanted.host == "0.0.0.0" ? QSysInfo::machineHostName()
                                                    : QString::fromStdString(m_wanted.host);
    status.address = QStringLiteral("http://%1:%2/v1").arg(host).arg(m_run->server.port());
    const auto models = m_models->list();
    if (!models.empty()) {
        status.model = QString::fromStdString(printable(models.front().id));
        const SchedulerCounts &counts = models.front().counts;
        status.requestsRunning = counts.running;
        status.requestsWaiting = counts.waiting;
        constexpr qint64 kLeast = 500; // ms, for a rate
        if (const qint64 ms = m_sinceStatus.elapsed(); ms >= kLeast) {
            const quint64 tokens = counts.passTokens;
            m_rate = static_cast<double>(tokens - std::min(m_tokens, tokens)) * 1e3 /
                     static_cast<double>(ms);
            m_tokens = tokens;
            m_sinceStatus.restart();
        }
        status.tokensPerSecond = m_rate;
    }
    for (const server::Clients::Client &client : m_run->server.clients())
        status.clients.append({QString::fromStdString(client.address),
                               QString::fromStdString(client.program), client.running,
                               static_cast<qint64>(client.requests),
                               static_cast<qint64>(client.promptTokens),
                               static_cast<qint64>(client.generatedTokens), timeOf(client.last)});
    return status;
}

} // namespace fireside
