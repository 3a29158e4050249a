#pragma once
#include "app/settings/engine_requests.h"
#include "app/settings/sampling_layers.h"
#include "engine/movable_model.h"

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

// Options and helpers that several commands share.
namespace fireside::cli {

struct ModelOptions
{
    std::string path;
    LoadSettings settings;
    int drafts = 0; // tokens that the model's head for drafting guesses at once

    std::string cacheFolder; // of computed tokens; empty: none

    void addDrafts(CLI::App &command);
    void addCache(CLI::App &command);
    void addTo(CLI::App &command, bool required = true);
    void addLoadTo(CLI::App &command); // all but the path
    LoadOptions loadOptions() const;   // Error(BadInput) for unknown words
};

/// Where compiled GPU programs are kept: $XDG_CACHE_HOME/fireside, else ~/.cache/fireside.
EngineOptions engineOptions();

struct SamplingOptions
{
    SamplingSettings settings;
    SettingValues given; // of them by options

    void addTo(CLI::App &command);
    /// Where no option says anything, what the model recommends counts.
    SamplingSettings with(const LoadedModel &model) const;
    /// The request without its prompt; a fresh seed for −1.
    GenerateRequest request(const LoadedModel &model) const;
};

std::vector<TokenId> parseTokenIds(const std::string &text); // "1,2,3"
std::string readTextFile(const std::string &path);
nlohmann::ordered_json readJsonFile(const std::string &path); // keys in the file's order

/// Set by Ctrl+C (SIGINT) and SIGTERM; a second one ends the program.
std::stop_token interruptToken();
/// The next line of standard input; false at its end, and when the program is asked to end.
bool readLine(std::string &line);
void installInterruptHandler();

/// A model and, on standard error, where it runs and why. A reply on a device that fails goes on
/// elsewhere.
class TalkingModel
{
public:
    TalkingModel(const ModelOptions &options, const SamplingOptions &sampling);
    const LoadedModel &model() const { return *m_loaded.model(); } // until the next reply
    /// A request for a reply to a chat; says where the model cannot be told how to think.
    GenerateRequest request(const SamplingOptions &sampling,
                            const std::vector<ChatMessage> &messages) const;
    /// Writes the reply to standard output, thoughts between <think> and </think>, what happens to
    /// devices to standard error.
    GenerateResult reply(const GenerateRequest &request, std::vector<ReplyPart> *parts = nullptr);
    /// What was computed, for later runs, where there is a folder for it.
    void keep();

private:
    Engine m_engine;
    std::unique_ptr<PrefixCache> m_cache; // before what uses it; null: none
    MovableModel m_loaded;
    int m_drafts;
};

/// "prompt 210 tokens (0 reused), 512.3 tok/s; reply 40 tokens, 98.1 tok/s; ended: end" on standard
/// error.
void printStatistics(const GenerateResult &result);

} // namespace fireside::cli
