#pragma once
#include "engine/movable_model.h"

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include <stop_token>
#include <string>
#include <vector>

// Options and helpers that several commands share.
namespace fireside::cli {

struct ModelOptions
{
    std::string path;
    std::string backend = "auto";
    std::string kv = "f16";
    int context = 0;
    int threads = 0;

    void addTo(CLI::App &command, bool required = true);
    LoadOptions loadOptions() const; // Error(BadInput) for unknown words
};

/// Where compiled GPU programs are kept: $XDG_CACHE_HOME/fireside, else ~/.cache/fireside.
EngineOptions engineOptions();

struct SamplingOptions
{
    SamplerSettings sampler;
    long long seed = -1;
    int maxTokens = 0;
    std::vector<std::string> stopStrings;

    void addTo(CLI::App &command);
    /// Settings with the seed filled in: a fresh one for −1. Error(BadInput) for values out of
    /// range.
    SamplerSettings settings() const;
};

DType parseKvType(const std::string &word);
std::vector<TokenId> parseTokenIds(const std::string &text); // "1,2,3"
std::string readTextFile(const std::string &path);
nlohmann::ordered_json readJsonFile(const std::string &path); // keys in the file's order

/// Set by Ctrl+C; a second Ctrl+C ends the program.
std::stop_token interruptToken();
void installInterruptHandler();

/// A model and, on standard error, where it runs and why. A reply on a device that fails goes on
/// elsewhere.
class TalkingModel
{
public:
    explicit TalkingModel(const ModelOptions &options);
    const LoadedModel &model() const { return *m_loaded.model(); } // until the next reply
    /// Writes the reply to standard output, what happens to devices to standard error.
    GenerateResult reply(const GenerateRequest &request, std::string *text = nullptr);

private:
    Engine m_engine;
    MovableModel m_loaded;
};

/// "prompt 21 tokens (0 reused), 512 tok/s; reply 40 tokens, 98.1 tok/s" on standard error.
void printStatistics(const GenerateResult &result);

} // namespace fireside::cli
