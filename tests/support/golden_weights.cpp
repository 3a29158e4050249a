#include "tests/support/golden_weights.h"

#include "engine/tensor/half.h"

#include <cmath>

namespace fireside::test {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

std::uint64_t mixed(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

int multiplier(std::string_view tensor)
{
    if (contains(tensor, "token_embd"))
        return 27;
    if (contains(tensor, "attn_q.") || contains(tensor, "attn_k."))
        return 33;
    if (contains(tensor, "ffn_down"))
        return 36;
    return contains(tensor, "norm") ? 22 : 31;
}

} // namespace

std::vector<float> GoldenWeights::next(std::string_view tensor, std::size_t count)
{
    const int m = multiplier(tensor);
    const bool norm = contains(tensor, "norm");
    std::vector<float> values(count);
    for (float &value : values) {
        const std::uint64_t z = mixed(m_state += kStep);
        const int sum =
            static_cast<int>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48)) -
            131070;
        const float weight = std::ldexp(static_cast<float>(sum * m), -24);
        value = norm ? 1 + weight : halfToFloat(floatToHalf(weight));
    }
    return values;
}

} // namespace fireside::test
