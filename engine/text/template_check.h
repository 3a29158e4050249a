#pragma once
#include <string>
#include <vector>

namespace fireside {

class ChatTemplate;
class Error;

/// What the template writes for a short chat; empty where it refuses.
std::string shortChat(const ChatTemplate &chatTemplate);
/// A sentence for each kind of chat that the template fails on: a plain question, a chat that goes
/// on, tools. Found by rendering such chats.
std::vector<std::string> templateDoubts(const ChatTemplate &chatTemplate);
/// An error's text without its full stop.
std::string reasonOf(const Error &error);

} // namespace fireside
