#pragma once
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
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
        std::string key{};            // the name of the key; empty: it has none
        int running = 0;              // requests
        std::uint64_t requests = 0, promptTokens = 0, generatedTokens = 0;
        std::chrono::system_clock::time_point last{};
    };
    /// A request of one of them, as long as it runs.
    class Visit
    {
    public:
        Visit(Clients &clients, std::string address, std::string program, std::string key = {});
        ~Visit();
        Visit(const Visit &) = delete;
        Visit &operator=(const Visit &) = delete;
        void add(int promptTokens, int generatedTokens);

    private:
        Client &mine();
        Clients &m_clients;
        const std::string m_address, m_program, m_key;
    };
    struct Totals
    {
        std::uint64_t requests = 0, promptTokens = 0, generatedTokens = 0;
    };
    std::vector<Client> all() const;            // the latest first
    std::map<std::string, Totals> keys() const; // of each key's name, since the start

private:
    mutable std::mutex m_mutex;
    std::map<std::string, Totals> m_keys;
    std::list<Client> m_clients; // the latest first
};

} // namespace fireside::server
