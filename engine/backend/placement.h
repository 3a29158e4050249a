#pragma once
#include <cstddef>
#include <vector>

namespace fireside {

/// Which device holds what: indices into the report list. A split is data, not code.
struct Placement
{
    int embedding = 0;
    std::vector<int> layers; // one device index per layer
    int output = 0;
    /// Of each layer the device of its experts, where it has a mixture of them; empty: the layer's.
    std::vector<int> experts{};

    int expertsOf(std::size_t layer) const
    {
        return experts.empty() ? layers.at(layer) : experts.at(layer);
    }
    bool expertsApart(std::size_t layer) const { return expertsOf(layer) != layers.at(layer); }
    bool operator==(const Placement &) const = default;
};

} // namespace fireside
