#include "app/cli/options.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <unistd.h>

namespace fireside::cli {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20; // of templates, contexts, texts

// A signal handler may only touch lock-free atomics; a small thread turns the flag into a stop.
std::stop_source g_interrupt;
volatile std::sig_atomic_t g_interrupts = 0;

void onInterrupt(int)
{
    g_interrupts = g_interrupts + 1;
    if (g_interrupts > 1)
        _exit(130);
}

double perSecond(int tokens, double seconds)
{
    return seconds > 0 ? tokens / seconds : 0;
}

} // namespace

void ModelOptions::addTo(CLI::App &command, bool required)
{
    auto *model = command.add_option("MODEL", path, "GGUF file or Hugging Face folder");
    if (required)
        model->required();
    command.add_option("--backend", backend, "auto, cpu or vulkan")->capture_default_str();
    command.add_option("--context", context, "Context in tokens (0: the model's, 8192 at most)");
    command.add_option("--kv", kv, "Type of the key-value cache: f32, f16 or q8_0")
        ->capture_default_str();
    command.add_option("--threads", threads, "CPU threads (0: automatic)")
        ->check(CLI::Range(0, 1024));
}

LoadOptions ModelOptions::loadOptions() const
{
    if (context < 0)
        throwBadInput("a context of " + std::to_string(context) + " tokens");
    return {.backend = parseBackendKind(backend),
            .context = context,
            .kvType = parseKvType(kv),
            .threads = threads};
}

EngineOptions engineOptions()
{
    const auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    // The specification wants absolute paths only.
    if (const auto cache = variable("XDG_CACHE_HOME"); cache.is_absolute())
        return {.cacheFolder = cache / "fireside"};
    if (const auto home = variable("HOME"); home.is_absolute())
        return {.cacheFolder = home / ".cache" / "fireside"};
    return {};
}

void SamplingOptions::addTo(CLI::App &command)
{
    command.add_option("--temp", sampler.temperature, "Temperature; 0 is greedy")
        ->capture_default_str();
    command.add_option("--top-k", sampler.topK, "Keep the k best tokens; 0 is off")
        ->capture_default_str();
    command.add_option("--top-p", sampler.topP, "Keep this much probability; 1 is off")
        ->capture_default_str();
    command
        .add_option("--min-p", sampler.minP, "Keep tokens this likely beside the best; 0 is off")
        ->capture_default_str();
    command.add_option("--repeat-penalty", sampler.repeatPenalty, "1 is off")
        ->capture_default_str();
    command.add_option("--repeat-last", sampler.repeatWindow, "Tokens the penalty looks back")
        ->capture_default_str();
    command.add_option("--seed", seed, "Seed; -1 picks a new one")->capture_default_str();
    command.add_option("--max-tokens", maxTokens, "End the reply after so many; 0 is no limit")
        ->check(CLI::Range(0, 1 << 30));
    command.add_option("--stop", stopStrings, "End the reply at this text (repeatable)");
}

SamplerSettings SamplingOptions::settings() const
{
    SamplerSettings s = sampler;
    s.seed = seed >= 0 ? static_cast<std::uint64_t>(seed) : std::random_device{}();
    Sampler checked(s);
    return s;
}

DType parseKvType(const std::string &word)
{
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0}) {
        std::string lower = name(type);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (word == lower || word == name(type))
            return type;
    }
    throwBadInput("unsupported cache type " + fireside::quoted(word) + " (f32, f16 or q8_0)");
}

std::vector<TokenId> parseTokenIds(const std::string &text)
{
    std::vector<TokenId> ids;
    const char *at = text.data();
    const char *end = at + text.size();
    while (at < end) {
        TokenId id = 0;
        const auto [next, error] = std::from_chars(at, end, id);
        if (error != std::errc{} || (next < end && *next != ','))
            throwBadInput(fireside::quoted(text) + " is no list of token ids like 1,2,3");
        ids.push_back(id);
        at = next < end ? next + 1 : next;
    }
    if (ids.empty())
        throwBadInput("no token ids given");
    return ids;
}

std::string readTextFile(const std::string &path)
{
    return fireside::readTextFile(path, kMaxFileBytes);
}

nlohmann::ordered_json readJsonFile(const std::string &path)
{
    const std::string text = readJsonText(path, kMaxFileBytes);
    try {
        return nlohmann::ordered_json::parse(text);
    } catch (const nlohmann::json::exception &e) {
        throwBadInput(path + " is no valid JSON: " + e.what());
    }
}

std::stop_token interruptToken()
{
    return g_interrupt.get_token();
}

void installInterruptHandler()
{
    std::signal(SIGINT, onInterrupt);
    std::thread([] {
        while (g_interrupts == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        g_interrupt.request_stop();
    }).detach();
}

TalkingModel::TalkingModel(const ModelOptions &options)
    : m_engine(engineOptions())
    , m_loaded(m_engine, {.moved = [](const LoadedModel &model, double) {
                   std::fprintf(stderr, "Going on with %s: %s\n", model.placementText().c_str(),
                                model.selection().reason.c_str());
               }})
{
    m_loaded.load(options.path, options.loadOptions(), {}, interruptToken());
    std::fprintf(stderr, "%s, %s: %s\n", printable(model().summary().name).c_str(),
                 model().placementText().c_str(), model().selection().reason.c_str());
}

GenerateResult TalkingModel::reply(const GenerateRequest &request, std::string *text)
{
    GenerateEvents events;
    events.text = [text](std::string_view piece, const GenerateStats &) {
        if (text != nullptr)
            *text += piece;
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        std::fflush(stdout);
    };
    return m_loaded.reply(request, events, interruptToken(), [](const Error &error) {
        std::fprintf(stderr, "\nA device failed in the middle of the reply: %s\n",
                     printable(error.what()).c_str());
    });
}

void printStatistics(const GenerateResult &result)
{
    const GenerateStats &s = result.stats;
    std::fprintf(
        stderr,
        "\nprompt %d tokens (%d reused), %.1f tok/s; reply %d tokens, %.1f tok/s; ended: %s\n",
        s.promptTokens, s.reusedTokens, perSecond(s.promptTokens - s.reusedTokens, s.promptSeconds),
        s.generatedTokens, perSecond(s.generatedTokens, s.generateSeconds),
        toString(result.finish));
}

} // namespace fireside::cli
