#pragma once
#include "engine/backend/ops/advance.h"
#include "engine/generate/logit_scan.h"
#include "engine/generate/mirostat.h"
#include "engine/generate/sampler_settings.h"
#include "engine/generate/token_penalties.h"

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace fireside {

/// Draws the next token. The same settings, history and logits give the same token on every
/// machine.
class Sampler
{
public:
    explicit Sampler(const SamplerSettings &settings); // Error(BadInput) for values out of range
    /// The tokens of the session, each before it is among the recent ones.
    void learn(std::span<const TokenId> ids, const Tokenizer &tokenizer)
    {
        m_penalties.learn(ids, tokenizer);
    }
    /// logits [vocab] are changed in place; recent: the session's tokens. Error(Internal) on NaN.
    TokenId sample(std::span<float> logits, std::span<const TokenId> recent);

    /// What is enough to draw from, so that not all logits need to leave the device.
    enum class Needs { Best, Candidates, Logits };
    Needs needs() const;
    int candidates() const; // how many, for Needs::Candidates
    /// Whether a device can predict the draw from the candidates: recent tokens play no part, and
    /// nothing but temperature, top-k, min-p and top-p is on.
    bool foreseeable() const { return !m_penalties.any() && !reshapes() && !leavesOutBest(); }
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
    /// Something between top-k and min-p is on.
    bool reshapes() const { return m_settings.typicalP < 1 || m_settings.temperatureRange > 0; }
    bool leavesOutBest() const { return m_settings.xtcProbability > 0; } // XTC
    std::size_t lowered() const; // tokens that penalties may take from the best ones
    bool shorten(std::size_t vocabulary);
    TokenId drawFromList(double number);
    void keepTypical(const LogitScan::Typical &found, float top);
    void keepTypicalOfList();
    float temperatureFor(const LogitScan::Spread &spread) const; // at a temperature of 1
    LogitScan::Spread spreadOfList(float temperature) const;
    bool tossXtc();
    std::size_t leftOut(double total) const;

    float floorOf(float top) const;
    void dropUnlikely(float top);
    void weigh(float top);
    TokenId draw(float top, double number, bool leaveOut);
    TokenId drawKept(double total, double number, bool leaveOut);
    std::optional<TokenId> drawFromBest(double number, bool leaveOut);
    TokenId drawFromAll(std::span<const float> logits, double number, bool leaveOut);

    SamplerSettings m_settings;
    float m_temperature; // of this draw
    std::mt19937_64 m_random;
    LogitScan m_scan;
    TokenPenalties m_penalties;
    Mirostat m_mirostat;
    std::vector<Candidate> m_candidates; // once weighed, with weights in place of logits
};

} // namespace fireside
