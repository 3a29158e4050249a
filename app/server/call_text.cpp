#include "app/server/call_text.h"

#include "app/server/random_id.h"

#include <utility>

namespace fireside::server {

void CallText::push(std::string_view text, std::vector<ReplyPiece> &out)
{
    for (const char c : text)
        read(c, out);
    if (!m_given.empty())
        out.push_back({ReplyPiece::Kind::Arguments, std::exchange(m_given, {})});
}

void CallText::read(char c, std::vector<ReplyPiece> &out)
{
    constexpr std::string_view kName = "\"name\": \"";
    switch (m_state) {
    case State::Before:
        m_seen += c;
        if (m_seen.ends_with(kName)) {
            m_state = State::Name;
            m_seen.clear();
        }
        break;
    case State::Name:
        if (c != '"') {
            m_seen += c;
            break;
        }
        if (!m_given.empty()) // of the call before
            out.push_back({ReplyPiece::Kind::Arguments, std::exchange(m_given, {})});
        out.push_back({ReplyPiece::Kind::Call, std::exchange(m_seen, {}), newCallId()});
        m_state = State::Between;
        break;
    case State::Between:
        if (c == '{') {
            m_state = State::Arguments;
            readArgument(c);
        }
        break;
    case State::Arguments:
        readArgument(c);
    }
}

/// Up to the bracket that closes the first one.
void CallText::readArgument(char c)
{
    m_given += c;
    if (m_inText) {
        m_inText = m_escaped || c != '"';
        m_escaped = !m_escaped && c == '\\';
        return;
    }
    m_inText = c == '"';
    m_depth += (c == '{') - (c == '}');
    if (m_depth == 0)
        m_state = State::Before;
}

} // namespace fireside::server
