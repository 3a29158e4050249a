#pragma once
#include "tests/conformance/bench.h"

// Options of ops that take each element, or each row, by itself.
namespace fireside::conformance {

constexpr std::size_t kFewCases = 16; // where there is no time for all

/// What all of these ops have options of.
struct Elements
{
    Elements(Bench &bench, Cases &cases)
        : rows(cases.option<std::int64_t>("rows", {0, 1, 2, 9, 33, 64, 257}))
        , cols(cases.option<std::int64_t>("cols", {1, 3, 31, 32, 33, 96, 256, 257, 2048}))
        , from(cases.option("from", bench.activations()))
        , into(cases.option("into", bench.activations()))
    {
        cases.without([](std::int64_t r, std::int64_t c) { return r * c > 20000; }, rows, cols);
    }
    Option<std::int64_t> rows, cols;
    Option<DType> from, into;
};
/// The same, of ops whose out may be their input.
struct Places : Elements
{
    Places(Bench &bench, Cases &cases)
        : Elements(bench, cases)
        , inPlace(cases.option("in place"))
    {
        cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from,
                      into);
    }
    Option<bool> inPlace;
};

} // namespace fireside::conformance
