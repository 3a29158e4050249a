#pragma once
#include "app/server/reply_event.h"

#include <map>
#include <string>
#include <vector>

namespace fireside::server {

struct ChatRequest;

/// A tool as the client knows it.
struct ClientTool
{
    std::string name{};
    std::string space{};    // its namespace
    bool takesText = false; // its input is one text ("custom"), not JSON arguments
};
/// By the names that the model sees, of those that differ.
using ClientTools = std::map<std::string, ClientTool, std::less<>>;

/// A function of a namespace, as one name.
std::string nameInSpace(const std::string &space, const std::string &name);
/// The arguments by which a model gives the one text of a custom tool.
std::string argumentsOfText(const std::string &text);

/// Gives all tools, earlier calls and the choice names that templates and grammars take. A second
/// tool of a name is left out.
ClientTools giveModelNames(ChatRequest &chat);

/// Changes the calls of a reply back to the client's tools.
class CallTranslator
{
public:
    CallTranslator(ClientTools tools, std::size_t choices)
        : m_tools(std::move(tools))
        , m_texts(choices)
    {}
    void translate(ReplyEvent &event);

private:
    struct Text
    {
        bool open = false;
        std::string arguments{};
    };
    static void close(Text &text, std::vector<ReplyPiece> &out);

    ClientTools m_tools;
    std::vector<Text> m_texts; // of each choice, the call that is being written
};

} // namespace fireside::server
