#pragma once
#include "tests/conformance/bench.h"

#include <cstdint>
#include <vector>

// References of products with weights.
namespace fireside::conformance {

/// A sum, and what its terms come to when their signs are random: what errors are measured with
/// where a sum happens to be nearly zero.
struct Sum
{
    double value = 0, magnitude = 0;
};

/// Row t of x (columns from firstCol) times row r of a matrix of the weight.
Sum product(const std::vector<double> &x, std::size_t xStart, const TestWeight &weight,
            std::int64_t row, std::int64_t expert = 0);

/// Of inputs, so that products with the weight are of the order of 3.
float inputScale(const TestWeight &weight);

std::vector<double> doubles(const Matrix &matrix);
/// RMS norm of each row, or just the values when there is no norm.
std::vector<double> normedInput(const Matrix &x, const TestWeight *norm, double eps);

double activated(Activation act, double x);
double gated(Activation act, double gate, double up);
/// act(gate) · up with the magnitudes of both carried through.
Sum gatedSum(Activation act, const Sum &gate, const Sum &up);

} // namespace fireside::conformance
