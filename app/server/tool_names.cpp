#include "app/server/tool_names.h"

#include "app/server/chat_request.h"
#include "app/server/tolerance.h"

#include <algorithm>
#include <set>

namespace fireside::server {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

/// Letters, digits, _, - and . only; a character of several bytes becomes one _.
std::string plainName(const std::string &name)
{
    std::string plain;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (keeps)
            plain += c;
        else if ((byte & 0xc0) != 0x80)
            plain += '_';
    }
    plain.resize(std::min(plain.size(), kMaxNameBytes));
    return plain.empty() ? "tool" : plain;
}

bool isPlain(const std::string &name)
{
    constexpr std::size_t kMaxPlainBytes = 128;
    return !name.empty() && name.size() <= kMaxPlainBytes &&
           plainName(name) == name.substr(0, kMaxNameBytes);
}

} // namespace

std::string nameInSpace(const std::string &space, const std::string &name)
{
    if (space.empty())
        return name;
    return space + (space.ends_with("__") ? "" : "__") + name;
}

std::string argumentsOfText(const std::string &text)
{
    return dumped({{"input", text}});
}

ClientTools giveModelNames(ChatRequest &chat)
{
    std::set<std::string> used; // by the model
    for (const AskedTool &one : chat.tools)
        if (isPlain(one.tool.name))
            used.insert(one.tool.name);
    std::map<std::string, std::string> names; // by the client's
    ClientTools differing;
    std::vector<AskedTool> kept;
    for (AskedTool &one : chat.tools) {
        const std::string full = one.tool.name;
        if (names.count(full) != 0) {
            noteIgnored(one.field);
            continue;
        }
        std::string name = full;
        if (!isPlain(full)) {
            const std::string plain = plainName(full);
            name = plain;
            for (int n = 2; !used.insert(name).second; ++n)
                name = plain + "_" + std::to_string(n);
        }
        names[full] = name;
        if (name != full || !one.client.space.empty() || one.client.takesText) {
            if (one.client.name.empty())
                one.client.name = full;
            differing[name] = one.client;
        }
        one.tool.name = name;
        kept.push_back(std::move(one));
    }
    chat.tools = std::move(kept);
    const auto rename = [&](std::string &name) {
        const auto known = names.find(name);
        name = known != names.end() ? known->second : isPlain(name) ? name : plainName(name);
    };
    for (ChatMessage &message : chat.messages)
        for (ToolCall &call : message.calls)
            rename(call.name);
    const auto renameKnown = [&](std::string &name) {
        if (const auto known = names.find(name); known != names.end())
            name = known->second;
    };
    renameKnown(chat.choice.name);
    for (std::string &name : chat.choice.allowed)
        renameKnown(name);
    return differing;
}

void CallTranslator::close(Text &text, std::vector<ReplyPiece> &out)
{
    if (!std::exchange(text.open, false))
        return;
    const std::string given = std::exchange(text.arguments, {});
    const json arguments = json::parse(given, nullptr, false);
    const bool wrapped =
        arguments.is_object() && arguments.contains("input") && arguments["input"].is_string();
    out.push_back(
        {ReplyPiece::Kind::Arguments, wrapped ? arguments["input"].get<std::string>() : given});
}

void CallTranslator::translate(ReplyEvent &event)
{
    if (m_tools.empty())
        return;
    Text &text = m_texts[event.choice];
    std::vector<ReplyPiece> pieces;
    for (ReplyPiece &piece : event.pieces) {
        if (piece.kind == ReplyPiece::Kind::Arguments && text.open) {
            text.arguments += piece.text;
            continue;
        }
        close(text, pieces);
        if (piece.kind == ReplyPiece::Kind::Call)
            if (const auto tool = m_tools.find(piece.text); tool != m_tools.end()) {
                piece.text = tool->second.name;
                piece.space = tool->second.space;
                piece.takesText = text.open = tool->second.takesText;
            }
        pieces.push_back(std::move(piece));
    }
    if (event.finished)
        close(text, pieces);
    event.pieces = std::move(pieces);
}

} // namespace fireside::server
