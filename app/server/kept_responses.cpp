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

void KeptResponses::keep(Response response)
{
    const std::size_t bytes =
        bytesOf(response.messages) + response.text.size() + response.input.size();
    const std::lock_guard lock(m_mutex);
    m_kept.push_front({std::move(response), bytes});
    m_bytes += bytes;
    while (m_kept.size() > kMost || m_bytes > kMostBytes) {
        m_bytes -= m_kept.back().bytes;
        m_kept.pop_back();
    }
}

std::optional<KeptResponses::Response> KeptResponses::find(const std::string &id,
                                                           const std::string &owner) const
{
    const std::lock_guard lock(m_mutex);
    for (const Kept &one : m_kept)
        if (one.response.id == id && one.response.owner == owner)
            return one.response;
    return {};
}

bool KeptResponses::forget(const std::string &id, const std::string &owner)
{
    const std::lock_guard lock(m_mutex);
    for (auto it = m_kept.begin(); it != m_kept.end(); ++it)
        if (it->response.id == id && it->response.owner == owner) {
            m_bytes -= it->bytes;
            m_kept.erase(it);
            return true;
        }
    return false;
}

} // namespace fireside::server
