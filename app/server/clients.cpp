#include "app/server/clients.h"

#include "engine/core/quote.h"

#include <algorithm>

namespace fireside::server {

Clients::Visit::Visit(Clients &clients, std::string address, std::string program, std::string key)
    : m_clients(clients)
    , m_address(std::move(address))
    , m_program(printable(program, 60))
    , m_key(std::move(key))
{
    const std::lock_guard lock(m_clients.m_mutex);
    Client &client = mine();
    ++client.requests;
    ++m_clients.m_keys[m_key].requests;
    ++client.running;
}

Clients::Visit::~Visit()
{
    const std::lock_guard lock(m_clients.m_mutex);
    --mine().running;
}

void Clients::Visit::add(int promptTokens, int generatedTokens)
{
    const std::lock_guard lock(m_clients.m_mutex);
    Client &client = mine();
    client.promptTokens += static_cast<std::uint64_t>(std::max(promptTokens, 0));
    client.generatedTokens += static_cast<std::uint64_t>(std::max(generatedTokens, 0));
    Totals &totals = m_clients.m_keys[m_key];
    totals.promptTokens += static_cast<std::uint64_t>(std::max(promptTokens, 0));
    totals.generatedTokens += static_cast<std::uint64_t>(std::max(generatedTokens, 0));
}

/// Brought to the front; with the mutex.
Clients::Client &Clients::Visit::mine()
{
    std::list<Client> &all = m_clients.m_clients;
    const auto known = std::find_if(all.begin(), all.end(), [this](const Client &one) {
        return one.address == m_address && one.program == m_program && one.key == m_key;
    });
    if (known == all.end())
        all.push_front({m_address, m_program, m_key});
    else
        all.splice(all.begin(), all, known);
    for (auto last = all.end(); all.size() > kMost && last != all.begin();)
        if ((--last)->running == 0 && last != all.begin())
            last = all.erase(last);
    all.front().last = std::chrono::system_clock::now();
    return all.front();
}

std::map<std::string, Clients::Totals> Clients::keys() const
{
    const std::lock_guard lock(m_mutex);
    return m_keys;
}

std::vector<Clients::Client> Clients::all() const
{
    const std::lock_guard lock(m_mutex);
    return {m_clients.begin(), m_clients.end()};
}

} // namespace fireside::server
