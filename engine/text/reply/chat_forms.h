#pragma once
#include "engine/text/chat_template.h"

#include <vector>

// What a chat is changed to where a template refuses it. Every interface uses these rules: the
// window, the terminal and the server's APIs. Nothing is left out, and what comes before a place
// that is changed stays as it is.
namespace fireside {

/// Messages of users and assistants take turns: neighbours of one role are joined with an empty
/// line between. System messages at the beginning become one; later ones become a part of what the
/// user says there. A chat that the assistant begins gets an empty message before.
std::vector<ChatMessage> joinedTurns(const std::vector<ChatMessage> &messages);
/// The system message leads the first message of the user.
std::vector<ChatMessage> withoutSystemRole(const std::vector<ChatMessage> &messages);
/// Calls and results in words.
std::vector<ChatMessage> withCallsAsText(std::vector<ChatMessage> messages);

/// The chat as it is, and then changed more and more; none twice.
std::vector<std::vector<ChatMessage>> chatForms(const std::vector<ChatMessage> &messages);

} // namespace fireside
