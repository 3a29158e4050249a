#pragma once
#include "engine/text/chat_template.h"

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fireside::server {

/// Chats up to an answer, for requests that go on from it by its id. In memory only; the oldest go.
/// For any thread.
class KeptResponses
{
public:
    static constexpr std::size_t kMost = 256, kMostBytes = 32 << 20;

    void keep(const std::string &id, std::vector<ChatMessage> messages);
    std::optional<std::vector<ChatMessage>> find(const std::string &id) const;

private:
    struct Kept
    {
        std::string id;
        std::vector<ChatMessage> messages;
        std::size_t bytes;
    };
    mutable std::mutex m_mutex;
    std::list<Kept> m_kept; // the newest first
    std::size_t m_bytes = 0;
};

} // namespace fireside::server
