#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fireside::test {

/// One weight of a GGUF file that is not what it was.
struct Poison
{
    std::string tensor;
    std::size_t row = 0, column = 0; // of a block of weights, for quantised types
    float value = 0;                 // of the weight, or of the block's scale
    std::string where;               // what an error says of the place
};

/// NaN, infinity and the largest number at every tensor of the golden Llama in F16.
std::vector<Poison> poisonsOfF16();

/// A copy of a GGUF file with one weight changed: F32, F16, BF16 or a block's scale.
void writePoisoned(const std::filesystem::path &from, const Poison &poison,
                   const std::filesystem::path &to);

/// The text of the Error(BadInput) that `way` ends in; empty when it ends well.
std::string badInputOf(const std::function<void()> &way);

} // namespace fireside::test
