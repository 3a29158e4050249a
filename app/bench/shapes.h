#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fireside {

struct ShapeTensor
{
    std::string name; // as in a GGUF file
    int rows = 1, cols = 0, depth = 1;
    bool plain = false; // F32 in every file: norms, biases, what is not a product's matrix
    float constant = 0; // not 0: all its numbers are this, e.g. decays, which must be negative
};

/// What a GGUF file of a real model says of its network, but for the tokenizer.
struct Shape
{
    using Value = std::variant<std::uint32_t, float, bool, std::vector<std::uint32_t>>;
    std::string architecture;
    int layers = 0, hidden = 0, vocabulary = 0;
    std::vector<std::pair<std::string, Value>> keys; // without the architecture's prefix
    std::vector<ShapeTensor> tensors;
};

/// Error(BadInput) naming those known for another name. Sizes are those of the config.json that the
/// makers published.
Shape shapeNamed(std::string_view name);
std::string knownShapes(); // "tiny, stories-110m, …"

} // namespace fireside
