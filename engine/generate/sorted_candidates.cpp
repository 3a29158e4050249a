#include "engine/generate/sorted_candidates.h"

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace fireside {
namespace {

constexpr int kDigit = 11, kDigits = 3; // of 32 bits
constexpr std::size_t kValues = std::size_t{1} << kDigit;

/// Rises as the logit falls.
std::uint32_t fallingKey(float logit)
{
    const auto bits = std::bit_cast<std::uint32_t>(logit + 0.0f); // −0 is 0
    return (bits & 0x80000000u) != 0 ? bits : ~(bits | 0x80000000u);
}

std::size_t digitOf(std::uint32_t key, int digit)
{
    return key >> (digit * kDigit) & (kValues - 1);
}

/// By their ids, as they mostly are already.
void sortEquals(std::vector<Candidate> &candidates)
{
    for (auto begin = candidates.begin(); begin != candidates.end();) {
        auto end = begin + 1;
        bool rising = true;
        for (; end != candidates.end() && end->logit == begin->logit; ++end)
            rising &= (end - 1)->id < end->id;
        if (!rising)
            std::sort(begin, end, isBetter);
        begin = end;
    }
}

} // namespace

void sortBest(std::vector<Candidate> &candidates)
{
    constexpr std::size_t kFew = 4096;
    if (candidates.size() < kFew) {
        std::sort(candidates.begin(), candidates.end(), isBetter);
        return;
    }
    std::array<std::array<std::uint32_t, kValues>, kDigits> starts{};
    for (const Candidate &c : candidates)
        for (int digit = 0; digit < kDigits; ++digit)
            ++starts[static_cast<std::size_t>(digit)][digitOf(fallingKey(c.logit), digit)];
    for (auto &counts : starts) {
        std::uint32_t sum = 0;
        for (std::uint32_t &count : counts)
            count = std::exchange(sum, sum + count);
    }
    std::vector<Candidate> other(candidates.size());
    for (int digit = 0; digit < kDigits; ++digit) {
        auto &next = starts[static_cast<std::size_t>(digit)];
        for (const Candidate &c : candidates)
            other[next[digitOf(fallingKey(c.logit), digit)]++] = c;
        candidates.swap(other);
    }
    sortEquals(candidates);
}

} // namespace fireside
