#pragma once
#include <vector>

namespace fireside {

/// Which device holds what: indices into the report list. A split is data, not code.
struct Placement
{
    int embedding = 0;
    std::vector<int> layers; // one device index per layer
    int output = 0;
};

} // namespace fireside
