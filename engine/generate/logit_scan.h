#pragma once
#include "engine/text/tokenizer.h"

#include <algorithm>
#include <span>
#include <vector>

namespace fireside {

/// A token and its logit.
struct Candidate
{
    TokenId id = -1;
    float logit = 0;
};

/// A total order: ties go to the lower id.
inline bool isBetter(const Candidate &a, const Candidate &b)
{
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// Finds the few logits that matter among many: one pass notes the largest of each block, and what
/// comes after it only looks at blocks that hold something. Buffers are kept from token to token.
class LogitScan
{
public:
    /// logits [vocab] must stay as they are while the others are asked. Error(Internal) on NaN and
    /// where the largest is not finite, so that a broken model never passes for a bad one.
    void read(std::span<const float> logits);

    std::size_t size() const { return m_logits.size(); }
    Candidate top() const { return m_top; } // the first maximum
    /// The k best, in no order. k ≤ vocab.
    void best(std::size_t k, std::vector<Candidate> &out) const;
    /// All from `floor` on, in the order of their ids.
    void atLeast(float floor, std::vector<Candidate> &out) const;
    /// The sum of exp((logit − top) / temperature), nearly: of roughWeight().
    double sumOfWeights(float temperature) const;
    /// Of the softmax at the temperature, nearly: the logarithm of that sum, entropy (natural) and
    /// how many logits are not −∞.
    struct Spread
    {
        double logOfSum = 0;
        double entropy = 0;
        std::size_t count = 0;
    };
    Spread spread(float temperature) const;
    /// The standard deviation of the logits that are not −∞.
    double deviation() const;
    /// What is needed to find those whose information −ln p is nearest to the entropy and that have
    /// `mass` of the probability. `out`: some of them, in the order of their ids.
    struct Typical
    {
        Spread spread{};                 // of all
        double sure = 0;                 // probability of those in `out`
        std::vector<Candidate> border{}; // among these are the others
    };
    Typical typical(float temperature, double mass, std::vector<Candidate> &out) const;

    /// e to the power of `exponent` ≤ 0, off by kWeightError of itself or by 1e-37; everywhere the
    /// same bits.
    static float roughWeight(float exponent);
    static constexpr double kWeightError = 5e-7;

private:
    static constexpr std::size_t kBlock = 64;
    std::span<const float> block(std::size_t index) const
    {
        return m_logits.subspan(index * kBlock, std::min(kBlock, m_logits.size() - index * kBlock));
    }

    float floorOfBest(std::size_t k) const;
    void appendFrom(std::size_t index, float floor, std::vector<Candidate> &out) const;

    std::span<const float> m_logits;
    std::vector<float> m_largest;       // of each block
    mutable std::vector<float> m_order; // for floorOfBest()
    Candidate m_top;
};

} // namespace fireside
