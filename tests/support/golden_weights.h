#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fireside::test {

/// The weights of the golden Llama, made anew wherever they are needed: nearly normal numbers,
/// small integers times 2⁻²⁴, so that every compiler and every language makes the same ones.
///
/// The n-th number of the file (n from 1) is m (a + b + c + d − 131070) 2⁻²⁴, where a to d are the
/// four 16-bit parts of splitmix64's n-th output from state 0 and m depends on the tensor: 27 in
/// token_embd, 33 in attn_q and attn_k, 36 in ffn_down, 31 in other matrices, 22 in norms, which
/// are around 1. Matrices are rounded to F16. splitmix64: https://prng.di.unimi.it/splitmix64.c
class GoldenWeights
{
public:
    /// Those of the next tensor of the file.
    std::vector<float> next(std::string_view tensor, std::size_t count);

private:
    std::uint64_t m_state = 0;
};

} // namespace fireside::test
