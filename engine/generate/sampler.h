#pragma once
#include "engine/backend/ops/advance.h"
#include "engine/generate/logit_scan.h"

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace fireside {

/// Applied in this order: repetition penalty, top-k, min-p, softmax at the temperature, top-p,
/// draw. min-p: arXiv 2407.01082; top-p: arXiv 1904.09751; penalty: arXiv 1909.05858.
struct SamplerSettings
{
    float temperature =
        0.7f;           // ≤ 0: greedy (the first maximum), nothing else but the penalty applies
    int topK = 40;      // 0: off
    float topP = 0.95f; // 1: off
    float minP = 0.05f; // keeps p ≥ minP · p_max; 0: off
    float repeatPenalty =
        1.0f; // divides positive and multiplies negative logits of recent tokens; 1: off
    int repeatWindow = 64; // how many recent tokens count
    std::uint64_t seed = 0;
};

/// Draws the next token. The same settings, history and logits give the same token on every
/// machine.
class Sampler
{
public:
    explicit Sampler(const SamplerSettings &settings); // Error(BadInput) for values out of range
    /// logits [vocab] are changed in place; recent: the session's tokens. Error(Internal) on NaN.
    TokenId sample(std::span<float> logits, std::span<const TokenId> recent);

    /// What is enough to draw from, so that not all logits need to leave the device.
    enum class Needs { Best, Candidates, Logits };
    Needs needs() const;
    int candidates() const; // how many, for Needs::Candidates
    /// Whether a device can predict the draw from the candidates: recent tokens play no part.
    bool foreseeable() const { return !penalises(); }
    /// The settings as a device needs them to predict the next draws.
    NextIds ahead() const;
    /// The random numbers that the next draws will use.
    void upcoming(std::span<float> numbers) const;
    /// Whether these, in falling order, decide the draw as if all of them were there, of which the
    /// others have `below` at most.
    bool isEnough(std::span<const Candidate> best, float below) const;
    /// The same draw from the best ones in falling order, ties by lower id; id −1 ends them.
    TokenId sample(std::span<const Candidate> best, std::span<const TokenId> recent = {});

private:
    float floorOf(float top) const;
    void dropUnlikely(float top);
    void weigh(float top);
    TokenId draw(float top, double number);
    TokenId drawKept(double total, double number) const;
    TokenId drawFromAll(std::span<const float> logits, double number);
    std::optional<TokenId> drawFromBest(double number);
    bool penalises() const;
    void findSeen(std::span<const TokenId> recent);
    float penalised(float logit) const;
    void penalise(std::span<float> logits, std::span<const TokenId> recent);

    SamplerSettings m_settings;
    std::mt19937_64 m_random;
    LogitScan m_scan;
    std::vector<Candidate> m_candidates; // once weighed, with weights in place of logits
    std::vector<TokenId> m_seen;
};

} // namespace fireside
