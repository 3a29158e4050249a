#pragma once

namespace fireside {

struct Op;
namespace op {
struct PassRows;
}

/// What an op cannot do without: each weight and each row of a cache read once, and the multiply-
/// adds of its products. Time at least: bytes ÷ bandwidth, and products ÷ rate. Ops that only move
/// or change activations count nothing.
struct OpWork
{
    double bytes = 0;         // of weights and caches
    double byteProducts = 0;  // with weights of whole numbers, whose activations may be bytes
    double floatProducts = 0; // with floats: weights, keys and values
    double floatBytes = 0;    // of `bytes` those of weights of floats
    OpWork &operator+=(const OpWork &more);
};

/// Of experts, as many are read as there are choices, at most all of them.
OpWork workOf(const Op &op, const op::PassRows &pass);

} // namespace fireside
