#pragma once
#include "app/server/model_shelf.h"
#include "app/server/server.h"
#include "engine/engine.h"
#include "tests/support/starter.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fireside::test {

/// Of a server that refuses what the interfaces do not know; tolerance_test.cpp has the others.
inline server::ServerOptions strictApi()
{
    server::ServerOptions options;
    options.strictApi = true;
    return options;
}

/// A model, the starter model at first, behind HTTP on a free port of this computer.
class RunningServer
{
public:
    explicit RunningServer(server::ServerOptions options = {}, int context = 256,
                           const std::filesystem::path &model = starterModel())
        : RunningServer({hosted("starter", model, context)}, std::move(options))
    {
        m_shelf.load("starter", {});
        m_own = m_engine.load(model, m_load);
    }
    /// Several, which are loaded when they are asked for.
    explicit RunningServer(std::vector<server::HostedSettings> models,
                           server::ServerOptions options = {},
                           std::chrono::seconds idle = std::chrono::seconds(0))
        : m_load(models.front().load)
        , m_shelf({std::move(models), idle})
        , m_server(m_shelf, std::move(options))
        , m_thread([this](const std::stop_token &stop) { m_server.run(stop); })
    {}

    static server::HostedSettings hosted(const std::string &id, const std::filesystem::path &model,
                                         int context = 256)
    {
        server::HostedSettings one{.id = id, .path = model};
        one.load = {.backend = BackendKind::Cpu, .context = context, .embeddings = true};
        one.sampling.temperature = 0;
        return one;
    }
    int port() const { return m_server.port(); }
    /// The same model once more, to compare with; of the first constructor.
    const LoadedModel &model() const { return *m_own; }
    server::Server &server() { return m_server; }
    server::ModelShelf &shelf() { return m_shelf; }
    httplib::Client client() const
    {
        httplib::Client client("127.0.0.1", port());
        client.set_read_timeout(120);
        // Some versions of the library name themselves in some requests only.
        client.set_default_headers({{"User-Agent", "server_test"}});
        return client;
    }

private:
    Engine m_engine;
    LoadOptions m_load;
    std::shared_ptr<const LoadedModel> m_own;
    server::ModelShelf m_shelf;
    server::Server m_server;
    std::jthread m_thread;
};

} // namespace fireside::test
