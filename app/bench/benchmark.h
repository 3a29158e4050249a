#pragma once
#include "engine/backend/placement_speed.h"
#include "engine/engine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fireside {

struct BenchResult;

struct BenchSettings
{
    int prompt = 512;   // tokens of the timed prompt
    int generate = 64;  // tokens decoded one by one
    int depth = 0;      // tokens already in the cache
    int chats = 1;      // that generate together, a token each per pass
    int candidates = 1; // that the device gives for each token, in place of the best one alone
    int joining = 0; // tokens of another chat's prompt in a pass of all chats, which is timed, too
    int repetitions = 3;
    bool opening = false; // measure the parts of opening, too
    bool machine = false; // measure the processor, where the model runs on it
    /// After each repetition.
    std::function<void(const BenchResult &soFar)> afterEach{};
    LoadOptions load;
    EngineOptions engine;
};

/// Medians over the repetitions; bytes as planned and as measured.
struct BenchResult
{
    double promptRate = 0, generateRate = 0;        // tokens per second, of all chats together
    std::vector<double> promptRates, generateRates; // of each repetition
    std::vector<double> joinedSeconds;              // of passes that a prompt's tokens joined
    double loadSeconds = 0;
    std::vector<std::pair<std::string, double>> loadStages; // seconds of each, in order
    /// Of what loading does at once, each alone, with the file in the system's cache: file,
    /// description, tokenizer. Medians in seconds.
    std::vector<std::pair<std::string, double>> openingParts;
    std::uint64_t weightBytes = 0, kvBytes = 0, peakResidentBytes = 0;
    std::string backend, device, reason;
    int threads = 0;                                       // on the CPU
    std::vector<OpTime> promptOps, generateOps, joinedOps; // of all repetitions
    std::optional<MachineRates> machine;
    /// Of stretches of generation on the CPU: bytes that its ops read a second, and the share of
    /// what bare reading took right before and after. Without MachineRates none.
    std::vector<double> generateReads, generateShares;
    std::optional<Speed> expected; // as a choice of devices reckons for this one, after its probe
};

/// Prompt: one pass through `prompt` random tokens after `depth`. Generation: one token at a time,
/// greedily, chosen on the device, in each chat. Of an encoder: as many sequences of `prompt`
/// tokens as there are chats, in one batch. The kernels are warm; a model's first pages are in
/// memory.
BenchResult benchmark(const std::filesystem::path &model, const BenchSettings &settings,
                      std::stop_token stop = {});

/// Seconds that this work takes at least on such a machine.
double leastSeconds(const OpWork &work, const MachineRates &machine);

} // namespace fireside
