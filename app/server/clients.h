#pragma once
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fireside::server {

/// Who asked a server, and how much; nothing of what was asked. For any thread.
class Clients
{
public:
    static constexpr std::size_t kMost = 100; // remembered; who asked longest ago goes first

    struct Client
    {
        std::string address, program; // program: the User-Agent, as far as it says something
        int running = 0;              // requests
        std::uint64_t requests = 0, promptTokens = 0, generatedTokens = 0;
        std::chrono::system_clock::time_point last{};
    };
    /// A request of one of them, as long as it runs.
    class Visit
    {
    public:
        Visit(Clients &clients, std::string address, std::string program);
        ~Visit();
        Visit(const Visit &) = delete;
        Visit &operator=(const Visit &) = delete;
        void add(int promptTokens, int generatedTokens);

    private:
        Client &mine();
        Clients &m_clients;
        const std::string m_address, m_program;
    };
    std::vector<Client> all() const; // the latest first

private:
    mutable std::mutex m_mutex;
    std::list<Client> m_clients; // the latest first
};

} // namespace fireside::server
