#pragma once
#include "engine/generate/repeated_sequences.h"
#include "engine/generate/sampler_settings.h"

#include <optional>
#include <span>
#include <vector>

namespace fireside {

/// What changes the logits of single tokens: bias, and penalties for what was written already.
class TokenPenalties
{
public:
    explicit TokenPenalties(const SamplerSettings &settings);

    bool any() const { return m_bias.size() > 0 || m_counts || m_dry; }
    /// So many tokens are lowered at most, and none is raised; nullopt where that cannot be said.
    std::optional<int> lowered() const;
    /// To be told of each token before it is among the recent ones.
    void learn(std::span<const TokenId> ids, const Tokenizer &tokenizer);
    /// What applies after these tokens.
    void find(std::span<const TokenId> recent);
    float applied(TokenId id, float logit) const;
    void apply(std::span<float> logits) const;

private:
    struct Change
    {
        TokenId id = 0;
        float bias = 0;
        int count = 0; // in the window
        float less = 0;
    };
    float applied(const Change &change, float logit) const;

    const SamplerSettings m_settings;
    std::vector<Change> m_bias; // by token, each once
    std::vector<Change> m_changes;
    bool m_counts, m_dry;
    RepeatedSequences m_repeated;
    std::vector<bool> m_breaks, m_known; // by token
};

} // namespace fireside
