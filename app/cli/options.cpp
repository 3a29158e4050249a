#include "app/cli/options.h"

#include "app/cli/output.h"
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"
#include "engine/generate/reply_rates.h"
#include "engine/probe_apart.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <semaphore.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace fireside::cli {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20; // of templates, contexts, texts

// A signal handler may post a semaphore, but not stop anything; a small thread that sleeps until
// then does.
std::stop_source g_interrupt;
std::atomic<int> g_interrupts{0}; // two signals may come on two threads at once
static_assert(std::atomic<int>::is_always_lock_free);
sem_t g_interrupted;

/// SIGINT, or SIGTERM as of kill, systemd and Docker: the first asks for an orderly end, the second
/// ends at once with the status that shells give a signal.
void onInterrupt(int signal)
{
    if (++g_interrupts > 1)
        _exit(128 + signal);
    const int error = errno;
    sem_post(&g_interrupted);
    errno = error;
}

/// Empty without an absolute one: the specification wants no others.
std::filesystem::path cacheFolder()
{
    const auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    if (const auto cache = variable("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "fireside";
    if (const auto home = variable("HOME"); home.is_absolute())
        return home / ".cache" / "fireside";
    return {};
}

std::string rangeOf(const Setting &setting)
{
    const auto text = [](double limit) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.15g", limit);
        return std::string(digits);
    };
    return text(setting.low) + " to " + text(setting.high) + (setting.orZero ? ", nor 0" : "");
}

std::string helpOf(const Setting &setting)
{
    std::string help = *setting.optionHelp ? setting.optionHelp : setting.help;
    const char *separator = " One of ";
    for (const SettingChoice &choice : setting.choices) {
        help += separator + std::string(choice.word);
        separator = ", ";
    }
    return setting.choices.empty() ? help : help + '.';
}

void requireItems(const Setting &setting, const std::vector<std::string> &list)
{
    for (const std::string &text : list)
        if (setting.item != nullptr && !setting.item(text))
            throw CLI::ValidationError(setting.option,
                                       "'" + text + "' is not like " + setting.example);
}

/// One option for each row of the group's table that has one.
template <typename Group>
void addSettings(CLI::App &command, Group &group, SettingValues *given = nullptr)
{
    for (const SettingOf<Group> &setting : Group::table()) {
        if (!*setting.option)
            continue;
        if (std::holds_alternative<bool>(setting.read(group))) {
            command.add_flag_callback(
                setting.option, [&] { setting.write(group, true); }, helpOf(setting));
            continue;
        }
        std::visit(
            [&](const auto &initial) {
                using Kind = std::remove_cvref_t<decltype(initial)>;
                const auto take = [&, given](const Kind &value) {
                    if constexpr (std::is_arithmetic_v<Kind>) {
                        if (!isAccepted(setting, value))
                            throw CLI::ValidationError(
                                setting.option, CLI::detail::to_string(value) +
                                                    " is not in the range of " + rangeOf(setting));
                    }
                    if constexpr (std::is_same_v<Kind, std::vector<std::string>>)
                        requireItems(setting, value);
                    setting.write(group, value);
                    if (given != nullptr)
                        (*given)[setting.key] = value;
                };
                auto *option =
                    command.add_option_function<Kind>(setting.option, take, helpOf(setting));
                if constexpr (!std::is_same_v<Kind, std::vector<std::string>>)
                    option->default_str(CLI::detail::to_string(initial));
            },
            setting.read(group));
    }
}

std::unique_ptr<PrefixCache> cacheIn(const std::string &folder)
{
    return folder.empty() ? nullptr
                          : std::make_unique<PrefixCache>(PrefixCache::Options{.folder = folder});
}

/// ", 98.1 tok/s"; nothing where it would be a guess.
std::string rateText(double rate)
{
    char text[32];
    std::snprintf(text, sizeof text, ", %.1f tok/s", rate);
    return rate > 0 ? text : "";
}

} // namespace

void ModelOptions::addTo(CLI::App &command, bool required)
{
    auto *model = command.add_option("MODEL", path, "GGUF file or Hugging Face folder");
    if (required)
        model->required();
    addLoadTo(command);
}

void ModelOptions::addLoadTo(CLI::App &command)
{
    addSettings(command, settings);
    addSettings(command, settings.placement);
}

void ModelOptions::addDrafts(CLI::App &command)
{
    constexpr int kMost = 16;
    command
        .add_option(
            "--draft", drafts,
            "Tokens that the model's own head for drafting (MTP) guesses at once; the reply "
            "stays the same. Needs --temp 0 and no penalties, else there are no drafts; "
            "0: "
            "none")
        ->check(CLI::Range(0, kMost));
}

void ModelOptions::addCache(CLI::App &command)
{
    command.add_option("--cache-dir", cacheFolder,
                       "Folder for what is computed of chats: one that begins like an earlier one, "
                       "with the same model, device and --kv, answers sooner. 8 GB at most; what "
                       "was used longest ago goes first");
}

LoadOptions ModelOptions::loadOptions() const
{
    LoadOptions options = toLoadOptions(settings);
    options.draftHeads = drafts > 0;
    return options;
}

EngineOptions engineOptions()
{
    EngineOptions options{.cacheFolder = cacheFolder()};
    options.probe = [folder = options.cacheFolder] {
        return probeDevices({.cacheFolder = folder});
    };
    return options;
}

void SamplingOptions::addTo(CLI::App &command)
{
    addSettings(command, settings, &given);
    command.footer("Where no option says how a token is chosen, what the model's file recommends "
                   "counts, and else the defaults above.");
}

SamplingSettings SamplingOptions::with(const LoadedModel &model) const
{
    const SamplingSettings recommended =
        fireside::with(settings, recommendedValues(model.summary().recommended));
    return fireside::with(recommended, given);
}

GenerateRequest SamplingOptions::request(const LoadedModel &model) const
{
    const SamplingSettings asked = with(model);
    GenerateRequest request = toRequest(asked, seedOf(asked));
    request.sampler.logitBias = biasOf(asked, model.tokenizer());
    return request;
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
    sem_init(&g_interrupted, 0, 0);
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM}) {
        sigaddset(&action.sa_mask, SIGINT);
        sigaddset(&action.sa_mask, SIGTERM);
        ::sigaction(signal, &action, nullptr);
    }
    std::thread([] {
        while (sem_wait(&g_interrupted) != 0) { // interrupted by another signal
        }
        containExceptions("interrupt", [] { g_interrupt.request_stop(); });
    }).detach();
}

bool readLine(std::string &line)
{
    constexpr int kLookMs = 100;
    static std::string buffer;
    for (;;) {
        if (const std::size_t end = buffer.find('\n'); end != std::string::npos) {
            line = buffer.substr(0, end);
            buffer.erase(0, end + 1);
            return true;
        }
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int count = ::poll(&input, 1, kLookMs);
        if (g_interrupt.stop_requested())
            return false;
        if (count == 0 || (count < 0 && errno == EINTR))
            continue;
        std::array<char, 4096> piece;
        const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            line = std::exchange(buffer, {});
            return !line.empty();
        }
        buffer.append(piece.data(), static_cast<std::size_t>(got));
    }
}

TalkingModel::TalkingModel(const ModelOptions &options, const SamplingOptions &sampling)
    : m_engine(engineOptions())
    , m_cache(cacheIn(options.cacheFolder))
    , m_loaded(m_engine,
               {.moved =
                    [](const LoadedModel &model, double) {
                        std::fprintf(stderr, "Going on with %s: %s\n",
                                     model.placementText().c_str(),
                                     model.selection().reason.c_str());
                    }},
               m_cache.get())
    , m_drafts(options.drafts)
{
    const auto drawsLikeliest = [&](const SamplingSettings &settings) {
        return settings.logitBias.empty() &&
               Sampler(toRequest(settings, 0).sampler).needs() == Sampler::Needs::Best;
    };
    const bool useless = m_drafts > 0 && !drawsLikeliest(sampling.settings);
    const char *const warning = "--draft has no effect: drafts need --temp 0 and no penalties.\n";
    if (useless)
        std::fputs(warning, stderr);
    m_loaded.load(options.path, options.loadOptions(), {}, interruptToken());
    if (m_drafts > 0 && !useless && !drawsLikeliest(sampling.with(model())))
        std::fputs(warning, stderr); // the model recommends a penalty
    std::fprintf(stderr, "%s, %s: %s\n", printable(model().summary().name).c_str(),
                 model().placementText().c_str(), model().selection().reason.c_str());
    for (const std::string &remark : model().summary().remarks)
        std::fprintf(stderr, "Note: %s\n", printable(remark).c_str());
}

GenerateRequest TalkingModel::request(const SamplingOptions &sampling,
                                      const std::vector<ChatMessage> &messages) const
{
    const ThinkingChoice choice = toThinking(sampling.settings);
    const ThinkingSwitches &switches = model().thinkingSwitches();
    if (choice.thinking != Thinking::Automatic && switches.onOff.empty())
        std::fputs("This model's template cannot switch thinking on or off.\n", stderr);
    if (!choice.effort.empty() && switches.effort.empty())
        std::fputs("This model's template cannot ask for an effort.\n", stderr);
    GenerateRequest request = sampling.request(model());
    ChatPrompt prompt = model().chatPrompt(messages, choice);
    request.prompt = std::move(prompt.tokens);
    request.inReasoning = prompt.inReasoning;
    request.format = model().replyFormat();
    return request;
}

GenerateResult TalkingModel::reply(const GenerateRequest &request, std::vector<ReplyPart> *parts)
{
    const auto print = [](std::string_view piece) {
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        checkOutput(); // what nobody can read need not be computed
    };
    bool thinking = false;
    GenerateEvents events;
    events.text = [&](std::string_view piece, const GenerateStats &) { print(piece); };
    events.parts = [&](std::span<const ReplyDelta> deltas, const GenerateStats &) {
        for (const ReplyDelta &delta : deltas) {
            if (parts != nullptr)
                append(*parts, delta);
            if (delta.text.empty() && !delta.call)
                continue;
            const bool thought = delta.kind == ReplyPartKind::Reasoning;
            if (thought != std::exchange(thinking, thought))
                print(thought ? "<think>\n" : "\n</think>\n\n");
            print(delta.call ? "\n" + delta.call->name + " " + delta.call->arguments + "\n"
                             : delta.text);
        }
    };
    GenerateRequest asked = request;
    asked.drafts = m_drafts;
    return m_loaded.reply(asked, events, interruptToken(), [](const Error &error) {
        std::fprintf(stderr, "\nA device failed in the middle of the reply: %s\n",
                     printable(error.what()).c_str());
    });
}

void TalkingModel::keep()
{
    if (!m_cache)
        return;
    m_loaded.keep(interruptToken());
    m_cache->waitUntilWritten();
    if (const std::string problem = m_cache->usage().problem; !problem.empty())
        std::fprintf(stderr, "Note: %s\n", printable(problem).c_str());
}

void printStatistics(const GenerateResult &result)
{
    const GenerateStats &s = result.stats;
    std::fprintf(stderr, "\nprompt %d tokens (%d reused)%s; reply %d tokens%s; ended: %s\n",
                 s.promptTokens, s.reusedTokens,
                 rateText(readingRate(s.promptTokens - s.reusedTokens, s.promptSeconds)).c_str(),
                 s.generatedTokens,
                 rateText(writingRate(s.generatedTokens, s.generateSeconds)).c_str(),
                 toString(result.finish));
    if (s.forcedTokens > 0)
        std::fprintf(stderr, "%d of the tokens were certain without asking the model\n",
                     s.forcedTokens);
    if (s.draftedTokens > 0)
        std::fprintf(stderr, "%d of the tokens were guessed by the head for drafting\n",
                     s.draftedTokens);
}

} // namespace fireside::cli
