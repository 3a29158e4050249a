#pragma once
#include "engine/generate/logit_scan.h"
#include "engine/generate/sampler_settings.h"

#include <vector>

namespace fireside {

/// Draws so that the surprise −log2 p of the tokens is near a target on average (Basu et al.,
/// arXiv 2007.14966, and the code of its authors). p is the probability at the temperature, before
/// anything is left out.
class Mirostat
{
public:
    explicit Mirostat(const SamplerSettings &settings);
    /// number: from [0, 1). Candidates are scratch.
    TokenId draw(const LogitScan &scan, double number, std::vector<Candidate> &candidates);

private:
    std::size_t keptByZipf(const LogitScan &scan, std::vector<Candidate> &candidates) const;

    const int m_version;
    const float m_temperature;
    const double m_target, m_rate;
    double m_most; // µ, the surprise that is still allowed
};

} // namespace fireside
