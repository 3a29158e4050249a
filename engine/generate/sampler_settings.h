#pragma once
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fireside {

/// How the next token is chosen. What is on works in the order in which it stands here:
/// bias, penalties, DRY, top-n-sigma, top-k, temperature, typical, min-p, top-p, XTC, the draw.
/// Mirostat takes the place of everything from top-n-sigma on but the temperature.
struct SamplerSettings
{
    float temperature =
        0.7f;           // ≤ 0: greedy (the first maximum); else only what changes logits applies
    int topK = 40;      // 0: off
    float topP = 0.95f; // arXiv 1904.09751; 1: off
    float minP = 0.05f; // arXiv 2407.01082: keeps p ≥ minP · p_max; 0: off
    float repeatPenalty =
        1.0f; // arXiv 1909.05858: divides positive, multiplies negative logits of recent tokens
    int repeatWindow = 64; // how many recent tokens count, for the next two as well
    std::uint64_t seed = 0;

    float frequencyPenalty = 0; // taken from a logit for each time the token is in the window
    float presencePenalty = 0;  // and once, if it is; both as OpenAI's interface defines them
    std::vector<std::pair<TokenId, float>> logitBias{}; // added; a token's entries add up

    /// DRY ("Don't repeat yourself", github.com/oobabooga/text-generation-webui pull request 5677):
    /// a token that would go on with a sequence seen before loses multiplier · base^(length −
    /// allowed), from that length on.
    float dryMultiplier = 0; // 0: off
    float dryBase = 1.75f;
    int dryAllowedLength = 2;
    int dryWindow = 0;                                          // tokens; 0: all
    std::vector<std::string> dryBreakers{"\n", ":", "\"", "*"}; // sequences end at tokens with one

    float topNSigma = 0; // arXiv 2411.07641: keeps logits ≥ max − n · deviation of all; 0: off
    float typicalP = 1;  // arXiv 2202.00666: the most typical ones that hold this much; 1: off
    /// XTC (text-generation-webui pull request 6335): of the tokens with p ≥ threshold all but the
    /// least likely go, with this probability.
    float xtcProbability = 0;
    float xtcThreshold = 0.1f;
    /// Dynamic temperature (llama.cpp pull request 4972): temperature ± range, from the entropy of
    /// what top-k leaves, as a part of the largest possible, to the power of the exponent. 0: off.
    float temperatureRange = 0;
    float temperatureExponent = 1;
    /// arXiv 2007.14966; 0: off, 1: the algorithm of the paper, 2: its authors' second version.
    int mirostat = 0;
    float mirostatTarget = 5;  // τ, bits
    float mirostatRate = 0.1f; // η
};

/// Error(BadInput) that names what is out of range.
void check(const SamplerSettings &settings);

} // namespace fireside
