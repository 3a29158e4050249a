#pragma once
#include "app/server/server.h"
#include "engine/engine.h"
#include "tests/support/starter.h"

#include <memory>
#include <string>
#include <thread>

namespace fireside::test {

/// A model, the starter model at first, behind HTTP on a free port of this computer.
class RunningServer
{
public:
    explicit RunningServer(server::ServerOptions options = {}, int context = 256,
                           const std::filesystem::path &model = starterModel())
        : m_model(m_engine.load(
              model, {.backend = BackendKind::Cpu, .context = context, .embeddings = true}))
    {
        options.modelId = "starter";
        options.sampling.temperature = 0;
        m_server = std::make_unique<server::Server>(*m_model, std::move(options));
        m_thread = std::jthread([this](const std::stop_token &stop) { m_server->run(stop); });
    }
    int port() const { return m_server->port(); }
    const LoadedModel &model() const { return *m_model; }
    httplib::Client client() const
    {
        httplib::Client client("127.0.0.1", port());
        client.set_read_timeout(120);
        return client;
    }

private:
    Engine m_engine;
    std::shared_ptr<const LoadedModel> m_model;
    std::unique_ptr<server::Server> m_server;
    std::jthread m_thread;
};

} // namespace fireside::test
