#include "app/bench/comparison.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace fireside {
namespace {

std::string endOf(int status)
{
    if (WIFSIGNALED(status))
        return "it was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
               strsignal(WTERMSIG(status)) + ")";
    return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

/// Standard output of a program that ends well.
std::string outputOf(std::vector<std::string> arguments, const std::string &who)
{
    int ends[2] = {};
    if (pipe(ends) != 0)
        throw Error(ErrorKind::Io, who + ": no pipe: " + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::vector<char *> words;
    for (std::string &argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    pid_t process = 0;
    const int failure =
        posix_spawn(&process, "/proc/self/exe", &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; failure == 0 && (got = read(ends[0], part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(got));
    close(ends[0]);
    if (failure != 0)
        throw Error(ErrorKind::Io, who + ": cannot be started: " + std::strerror(failure));
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        throw Error(ErrorKind::Io, who + ": its turn failed: " + endOf(status));
    return text;
}

} // namespace

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

RatioSummary summarise(const Comparison &comparison)
{
    RatioSummary summary{median(comparison.ours), median(comparison.peers)};
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(comparison.ours.size(), comparison.peers.size()); ++i)
        if (comparison.peers[i] > 0)
            ratios.push_back(comparison.ours[i] / comparison.peers[i]);
    if (ratios.empty())
        return summary;
    summary.ratio = median(ratios);
    summary.least = *std::min_element(ratios.begin(), ratios.end());
    summary.greatest = *std::max_element(ratios.begin(), ratios.end());
    return summary;
}

PeerRates measurePeerApart(const PeerRequest &request)
{
    const std::string text = outputOf(
        {"fireside-cli", "bench", request.model.string(), "--peer-turn", request.folder.string(),
         "--prompt", std::to_string(request.prompt), "--gen", std::to_string(request.generate),
         "--depth", std::to_string(request.depth), "--threads", std::to_string(request.threads),
         "--backend", request.gpu ? "vulkan" : "cpu"},
        request.folder.string());
    try {
        const auto j = nlohmann::json::parse(text);
        return {.prompt = j.at("prompt_tok_s"),
                .generate = j.at("gen_tok_s"),
                .processorLibrary = j.at("processor_library")};
    } catch (const nlohmann::json::exception &) {
        throw Error(ErrorKind::Io, request.folder.string() + ": its turn gave no rates");
    }
}

} // namespace fireside
