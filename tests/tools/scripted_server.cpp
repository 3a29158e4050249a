// A tool server over standard input and output that behaves as its arguments and its tools say,
// mostly badly. Without Qt, so that it starts at once.
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;

struct Script
{
    std::string speaks = "2026-07-28"; // a session version; "modern-only"; "unknown"
    int refusals = 0;                  // of its own version, before it takes it
    bool deaf = false;                 // says nothing to what it does not know
    bool mute = false;                 // says nothing at all
    bool chatter = false;              // writes lines that are no messages
    bool dies = false;                 // when it is probed
    int pages = 1;
    bool endlessPages = false;
    std::string marker; // a file that counts starts
    int failStarts = 0; // so many of them
    bool child = false; // starts another program, and tells its number
};

Script g_script;
std::vector<Json> g_cancelled;
int g_moreTools = 0;
Json g_listen;

bool modern()
{
    return g_script.speaks == "2026-07-28" || g_script.speaks == "modern-only";
}

void say(const Json &message)
{
    std::cout << message.dump() << std::endl;
}

void reply(const Json &id, Json result)
{
    if (modern())
        result["resultType"] = "complete";
    say({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

void refuse(const Json &id, int code, const std::string &text, const Json &data = nullptr)
{
    Json error{{"code", code}, {"message", text}};
    if (!data.is_null())
        error["data"] = data;
    say({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}});
}

Json tool(const std::string &name, const std::string &about)
{
    return {
        {"name", name},
        {"title", "Title of " + name},
        {"description", about},
        {"inputSchema",
         {{"type", "object"},
          {"properties", {{"z_last", {{"type", "string"}}}, {"a_first", {{"type", "string"}}}}}}}};
}

void listTools(const Json &message)
{
    const std::string cursor = message.value("/params/cursor"_json_pointer, std::string("0"));
    const int page = std::atoi(cursor.c_str());
    Json tools = Json::array();
    if (page == 0)
        for (const char *name :
             {"echo",  "environment", "slow",  "cancelled", "progress", "die",     "garbage",
              "giant", "wrong_id",    "twice", "error",     "failing",  "picture", "ask",
              "again", "strange",     "grow",  "child",     "long",     "flood"})
            tools.push_back(tool(name, std::string("does ") + name));
    else
        tools.push_back(tool("page_" + cursor, "of another page"));
    for (int i = 0; page == 0 && i < g_moreTools; ++i)
        tools.push_back(tool("grown_" + std::to_string(i), "came later"));
    Json result{{"tools", tools}};
    if (g_script.endlessPages || page + 1 < g_script.pages)
        result["nextCursor"] = std::to_string(page + 1);
    reply(message["id"], result);
}

void replyText(const Json &id, const std::string &text, bool error = false)
{
    Json result{{"content", {{{"type", "text"}, {"text", text}}}}};
    if (error)
        result["isError"] = true;
    reply(id, result);
}

void progress(const Json &message)
{
    const Json token = message.value("/params/_meta/progressToken"_json_pointer, Json());
    for (int i = 1; i <= 4; ++i) {
        say({{"jsonrpc", "2.0"},
             {"method", "notifications/progress"},
             {"params",
              {{"progressToken", token}, {"progress", i}, {"total", 4}, {"message", "step"}}}});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    replyText(message["id"], "arrived");
}

void grow()
{
    ++g_moreTools;
    Json params = Json::object();
    if (modern() && g_listen.is_null())
        return; // nobody listens
    if (modern())
        params["_meta"] = {{"io.modelcontextprotocol/subscriptionId", g_listen}};
    say({{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}, {"params", params}});
}

/// Writes until it is killed, whatever becomes of it.
[[noreturn]] void flood(const std::string &where)
{
    for (const int ignored : {SIGPIPE, SIGTERM, SIGINT, SIGHUP})
        std::signal(ignored, SIG_IGN);
    std::string much(1 << 20, 'x');
    if (where == "lines") {
        const std::string line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n";
        much.clear();
        for (int i = 0; i < 1000; ++i)
            much += line;
    }
    for (;;)
        if (::write(where == "stderr" ? STDERR_FILENO : STDOUT_FILENO, much.data(), much.size()) <
            0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::string environment()
{
    std::string all;
    for (char **one = environ; *one != nullptr; ++one)
        all += std::string(*one) + "\n";
    return all;
}

void call(const Json &message)
{
    const Json &id = message["id"];
    const std::string name = message.value("/params/name"_json_pointer, std::string());
    const Json arguments = message.value("/params/arguments"_json_pointer, Json::object());
    if (name == "echo")
        replyText(id, arguments.dump());
    else if (name == "environment")
        replyText(id, environment());
    else if (name == "cancelled")
        replyText(id, Json(g_cancelled).dump());
    else if (name == "progress")
        progress(message);
    else if (name == "die")
        std::_Exit(7);
    else if (name == "garbage") {
        std::cout << "this is no message\n{\"jsonrpc\": \"2.0\", \"id\": " << id.dump()
                  << ", \"result\": \n\n[1, 2\n\xff\xfe\n"
                  << std::flush;
        replyText(id, "after the garbage");
    } else if (name == "flood") {
        flood(arguments.value("where", std::string()));
    } else if (name == "giant") {
        const std::string much(1 << 20, 'x');
        for (int i = 0; i < 40 && std::cout; ++i)
            std::cout << much;
        std::cout << std::endl;
    } else if (name == "wrong_id") {
        reply(id.get<int>() + 1000, {{"content", Json::array()}});
        reply(std::to_string(id.get<int>()), {{"content", Json::array()}});
        replyText(id, "the right one");
    } else if (name == "twice") {
        replyText(id, "first");
        replyText(id, "second");
    } else if (name == "error")
        refuse(id, -32602, "this cannot be");
    else if (name == "failing")
        replyText(id, "it went wrong", true);
    else if (name == "picture")
        reply(id,
              {{"content",
                {{{"type", "image"}, {"data", "AAAA"}, {"mimeType", "image/png"}},
                 {{"type", "resource"}, {"resource", {{"uri", "file:///a"}, {"text", "inside"}}}},
                 {{"type", "resource_link"}, {"uri", "file:///b"}, {"name", "b"}},
                 {{"type", "new kind"}}}}});
    else if (name == "ask")
        say({{"jsonrpc", "2.0"},
             {"id", id},
             {"result",
              {{"resultType", "input_required"},
               {"inputRequests", {{"who", {{"method", "elicitation/create"}}}}}}}});
    else if (name == "again") {
        const Json state = message.value("/params/requestState"_json_pointer, Json());
        if (state.is_null())
            say({{"jsonrpc", "2.0"},
                 {"id", id},
                 {"result", {{"resultType", "input_required"}, {"requestState", "opaque"}}}});
        else
            replyText(id, "once more with " + state.get<std::string>());
    } else if (name == "strange")
        say({{"jsonrpc", "2.0"}, {"id", id}, {"result", {{"resultType", "of another kind"}}}});
    else if (name == "grow") {
        grow();
        replyText(id, "grown");
    } else if (name == "child") {
        const pid_t pid = fork();
        if (pid == 0) {
            execlp("sleep", "sleep", "600", nullptr);
            std::_Exit(1);
        }
        replyText(id, std::to_string(pid));
    } else if (name == "long")
        replyText(id, std::string(100'000, 'y'));
    else if (name != "slow") // which never answers
        refuse(id, -32602, "Unknown tool: " + name);
}

void discover(const Json &id)
{
    if (g_script.dies)
        std::_Exit(3);
    if (g_script.speaks == "2099-01-01")
        return refuse(id, -32022, "Unsupported protocol version",
                      {{"supported", {"2099-01-01"}}, {"requested", "2026-07-28"}});
    if (g_script.refusals-- > 0)
        return refuse(id, -32022, "Unsupported protocol version",
                      {{"supported", {"2026-07-28"}}, {"requested", "2026-07-28"}});
    if (modern())
        return reply(
            id,
            {{"supportedVersions", {"2026-07-28"}},
             {"capabilities", {{"tools", {{"listChanged", true}}}}},
             {"_meta",
              {{"io.modelcontextprotocol/serverInfo", {{"name", "scripted"}, {"version", "1"}}}}}});
    if (!g_script.deaf)
        refuse(id, -32601, "Method not found");
}

void handle(const Json &message)
{
    const std::string method = message.value("method", std::string());
    const Json id = message.value("id", Json());
    if (method == "server/discover")
        return discover(id);
    if (method == "initialize") {
        if (g_script.speaks == "modern-only")
            return refuse(id, -32601, "speaks 2026-07-28 only");
        return reply(id, {{"protocolVersion", g_script.speaks},
                          {"capabilities", {{"tools", {{"listChanged", true}}}}},
                          {"serverInfo", {{"name", "scripted"}, {"version", "1"}}}});
    }
    if (method == "notifications/initialized")
        return say({{"jsonrpc", "2.0"}, {"id", "ping-1"}, {"method", "ping"}});
    if (method == "notifications/cancelled")
        return g_cancelled.push_back(message["params"]["requestId"]);
    if (method == "tools/list")
        return listTools(message);
    if (method == "tools/call")
        return call(message);
    if (method == "subscriptions/listen") {
        g_listen = id;
        return say({{"jsonrpc", "2.0"},
                    {"method", "notifications/subscriptions/acknowledged"},
                    {"params",
                     {{"_meta", {{"io.modelcontextprotocol/subscriptionId", id}}},
                      {"notifications", {{"toolsListChanged", true}}}}}});
    }
    if (!id.is_null() && !method.empty())
        refuse(id, -32601, "Method not found");
}

void readArguments(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--speaks")
            g_script.speaks = value;
        else if (word == "--pages")
            g_script.pages = std::atoi(value.c_str());
        else if (word == "--marker")
            g_script.marker = value;
        else if (word == "--refusals")
            g_script.refusals = std::atoi(value.c_str());
        else if (word == "--fail-starts")
            g_script.failStarts = std::atoi(value.c_str());
        g_script.deaf |= word == "--deaf";
        g_script.mute |= word == "--mute";
        g_script.chatter |= word == "--chatter";
        g_script.dies |= word == "--dies-when-probed";
        g_script.endlessPages |= word == "--endless-pages";
    }
}

} // namespace

int main(int argc, char **argv)
{
    readArguments(argc, argv);
    if (!g_script.marker.empty()) {
        std::ofstream(g_script.marker, std::ios::app) << "s";
        std::ifstream marks(g_script.marker);
        const std::string all{std::istreambuf_iterator<char>(marks), {}};
        if (static_cast<int>(all.size()) <= g_script.failStarts) {
            std::cerr << "I do not want to start\n";
            return 5;
        }
    }
    if (g_script.chatter)
        std::cout << "Welcome to the server!\n\n{broken\n" << std::flush;
    std::cerr << "started\n";
    for (std::string line; std::getline(std::cin, line);) {
        if (g_script.mute)
            continue;
        const Json message = Json::parse(line, nullptr, false);
        if (message.is_discarded())
            refuse(nullptr, -32700, "Parse error");
        else
            handle(message);
    }
    return 0;
}
