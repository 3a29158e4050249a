#pragma once
#include "app/server/reply_event.h"

#include <string>
#include <string_view>
#include <vector>

namespace fireside::server {

/// Cuts calls out of a text that constrain::toolCalls() allows, while it is written.
class CallText
{
public:
    void push(std::string_view text, std::vector<ReplyPiece> &out);

private:
    enum class State { Before, Name, Between, Arguments };
    void read(char c, std::vector<ReplyPiece> &out);
    void readArgument(char c);

    State m_state = State::Before;
    std::string m_seen{};  // of what is not an argument
    std::string m_given{}; // arguments that are not handed on yet
    int m_depth = 0;
    bool m_inText = false, m_escaped = false;
};

} // namespace fireside::server
