#pragma once
#include "tests/conformance/products.h"

// What cases of mixtures are made of.
namespace fireside::conformance {

/// Logits [T, experts] whose choice does not hang on the last bit.
Matrix clearLogits(Bench &bench, std::int64_t T, std::int64_t experts, DType type,
                   const Routing &routing, std::span<const float> biases);
Option<Routing::Score> scoresOf(Cases &cases);
/// Ids of k different experts for each row, out of the first `live` ones.
std::vector<std::int32_t> chosen(Bench &bench, std::int64_t T, std::int64_t k, std::int64_t live);

struct ExpertCase
{
    std::int64_t T, k, experts, live; // only the first `live` are used
};
std::string valueText(const ExpertCase &c);
extern const std::vector<std::vector<ExpertCase>> kExpertCases;

/// Biases of all experts, in the type that vectors have here; null without.
const TestWeight *biasOf(Bench &bench, bool there, const ProductOptions &o, std::int64_t cols,
                         std::int64_t experts, int salt);

} // namespace fireside::conformance
