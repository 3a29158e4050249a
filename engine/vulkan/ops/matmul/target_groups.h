#pragma once
#include "engine/backend/ops/linear.h"
#include "engine/vulkan/weights/vulkan_weight.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace fireside::vulkan {

/// Targets that a dispatch can take together: their weights lie in one type, so do their outputs,
/// and they are `most` at most. Calls run(targets, all their rows of weights) until none are left.
template <typename Run>
void inTargetGroups(std::span<const LinearTarget> targets, std::size_t most, Run &&run)
{
    std::vector<LinearTarget> left(targets.begin(), targets.end());
    while (!left.empty()) {
        const DType storage = asVulkan(*left[0].weight).storage, type = left[0].out.dtype;
        std::vector<LinearTarget> together, others;
        std::int64_t rows = 0;
        for (const LinearTarget &target : left) {
            const bool fits = asVulkan(*target.weight).storage == storage &&
                              target.out.dtype == type && together.size() < most;
            (fits ? together : others).push_back(target);
            rows += fits ? target.weight->rows : 0;
        }
        run(std::span<const LinearTarget>(together), rows);
        left = std::move(others);
    }
}

} // namespace fireside::vulkan
