#include "app/server/kept_responses.h"

namespace fireside::server {
namespace {

std::size_t bytesOf(const std::vector<ChatMessage> &messages)
{
    std::size_t sum = 0;
    for (const ChatMessage &message : messages) {
        sum += sizeof message + message.content.size() + message.reasoning.size();
        for (const ToolCall &call : message.calls)
            sum += sizeof call + call.name.size() + call.arguments.size() + call.id.size();
    }
    return sum;
}

} // namespace

void KeptResponses::keep(const std::string &id, std::vector<ChatMessage> messages)
{
    const std::size_t bytes = bytesOf(messages);
    const std::lock_guard lock(m_mutex);
    m_kept.push_front({id, std::move(messages), bytes});
    m_bytes += bytes;
    while (m_kept.size() > kMost || m_bytes > kMostBytes) {
        m_bytes -= m_kept.back().bytes;
        m_kept.pop_back();
    }
}

std::optional<std::vector<ChatMessage>> KeptResponses::find(const std::string &id) const
{
    const std::lock_guard lock(m_mutex);
    for (const Kept &one : m_kept)
        if (one.id == id)
            return one.messages;
    return {};
}

} // namespace fireside::server
