#pragma once

// Tokens a second of one reply; 0 where too few tokens, or too little time, make any figure a
// guess.
namespace fireside {

inline constexpr int kFewPromptTokens = 32; // read too quickly for a rate

/// Of a prompt's tokens that were computed, those reused not among them.
constexpr double readingRate(int tokens, double seconds)
{
    return tokens >= kFewPromptTokens && seconds > 0 ? tokens / seconds : 0;
}

/// The first token comes with the prompt's last pass, so that n tokens took n − 1 steps.
constexpr double writingRate(int tokens, double seconds)
{
    return tokens >= 8 && seconds > 0 ? (tokens - 1) / seconds : 0;
}

} // namespace fireside
