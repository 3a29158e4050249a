#pragma once
#include "engine/backend/op_list.h" // FIRESIDE_OPS(X): every op, from the structs in ops/

#include <array>
#include <variant>

namespace fireside {

template <typename First, typename... Each>
using VariantOfRest = std::variant<Each...>;
#define FIRESIDE_OP_TYPE(Each) , op::Each

/// Everything a device computes. An op is a value: tensors, numbers, and pointers to weights, which
/// must outlive the pass. Each has its name (kName) and its check(), the same for all devices.
struct Op : VariantOfRest<void FIRESIDE_OPS(FIRESIDE_OP_TYPE)>
{
    using variant::variant;
};
#undef FIRESIDE_OP_TYPE

/// The names of the ops, in the order of FIRESIDE_OPS.
#define FIRESIDE_OP_NAME(Each) op::Each::kName,
inline constexpr std::array kOpNames{FIRESIDE_OPS(FIRESIDE_OP_NAME)};
#undef FIRESIDE_OP_NAME

} // namespace fireside
