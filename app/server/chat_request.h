#pragma once
#include "app/server/answer_form.h"
#include "app/server/tool_names.h"
#include "app/settings/engine_requests.h"
#include "engine/chat_prompt.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

// What every interface's request for a reply becomes: read by a reader for each interface, made
// ready for the engine here.
namespace fireside::server {

struct ServedModel
{
    const LoadedModel &model;
    std::string id;
    SamplingSettings sampling; // what a request leaves open
    Grammars &grammars;
};

struct AskedTool
{
    ToolDescription tool{};
    ClientTool client{};       // as the client knows it; an empty name: by that of `tool`
    bool strict = false;       // a reply whose arguments do not fit the schema is no call
    std::string field{};       // of its name in the request, for errors
    std::string schemaField{}; // of its schema
};

/// Which tools a reply may call.
struct ToolChoice
{
    enum class Kind { Auto, None, Required };
    Kind kind = Kind::Auto;
    std::string name{};   // of Required: exactly this one
    bool parallel = true; // several calls in one reply
    std::string field = "tool_choice";
    bool restricted = false; // to these:
    std::vector<std::string> allowed{};
};

struct ChatRequest
{
    std::vector<ChatMessage> messages{}; // of tools: as ToolChat wants them
    std::vector<AskedTool> tools{};
    ToolChoice choice{};
    AnswerForm form{};
    ThinkingChoice thinking{};
    GenerateRequest sampling{}; // without prompt, format and grammar
    int choices = 1;
    int probabilities = -1; // so many of the likeliest tokens with each; −1: none
    bool stream = false;
    std::string user{}; // who asks, as far as the request says
};

/// How calls of tools stand in a reply.
enum class CallsIn {
    Nowhere, // what looks like one is text
    Marks,   // as the model's family writes them
    Answer   // the answer is calls, as constrain::toolCalls() allows them
};

/// What the arguments of strict tools must fit, by the tools' names.
using StrictArguments = std::map<std::string, Grammars::Ready, std::less<>>;

struct AskedReplies
{
    std::vector<GenerateRequest> requests{}; // one for each choice
    CallsIn calls = CallsIn::Nowhere;
    StrictArguments strict{}; // of calls in marks
    ClientTools tools{};      // whose names the reply's calls get
    bool stream = false;
    int probabilities = -1;
    std::string user{};
};

/// ApiError for tools and forms that cannot be kept, Error(BadInput) for what the model's template
/// refuses.
AskedReplies repliesTo(ChatRequest chat, const ServedModel &served);
/// n choices of each, each with a seed of its own.
void repeat(AskedReplies &asked, std::int64_t n);

} // namespace fireside::server
