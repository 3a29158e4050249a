#pragma once
#include "engine/generate/logit_scan.h"

#include <vector>

namespace fireside {

/// Sorts into the order of isBetter(); many in linear time (LSD radix sort).
void sortBest(std::vector<Candidate> &candidates);

} // namespace fireside
