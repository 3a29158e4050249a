#pragma once
#include "engine/text/chat_template.h"

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fireside::server {

/// Responses that can be fetched by their id, and the chats up to them, for requests that go on
/// from one. In memory only; the oldest go. For any thread.
class KeptResponses
{
public:
    static constexpr std::size_t kMost = 256, kMostBytes = 32 << 20;
    struct Response
    {
        std::string id;
        std::vector<ChatMessage> messages{}; // up to the answer
        std::string text{};                  // the whole response, JSON
        std::string input{};                 // a JSON list of the items that were sent
        std::string owner{};                 // others cannot find it: the realm of the client
    };

    void keep(Response response);
    std::optional<Response> find(const std::string &id, const std::string &owner) const;
    bool forget(const std::string &id, const std::string &owner);

private:
    struct Kept
    {
        Response response;
        std::size_t bytes;
    };
    mutable std::mutex m_mutex;
    std::list<Kept> m_kept; // the newest first
    std::size_t m_bytes = 0;
};

} // namespace fireside::server
