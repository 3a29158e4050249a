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

/// What every product has options of. Vectors of files come in three types.
struct ProductCommon
{
    ProductCommon(Bench &bench, Cases &cases)
        : x(cases.option("x", bench.activations()))
        , out(cases.option("out", bench.activations()))
        , normed(cases.option("normed"))
        , norm(cases.option("norm", std::vector{DType::F32, DType::F16, DType::BF16}))
        , eps(cases.option<float>("eps", {1e-5f, 1e-6f}))
        , biased(cases.option("biased"))
        , bias(cases.option("bias", std::vector{DType::F32, DType::F16, DType::BF16}))
    {}
    Option<DType> x, out;
    Option<bool> normed;
    Option<DType> norm;
    Option<float> eps;
    Option<bool> biased;
    Option<DType> bias;
};

/// The same of a case.
struct ProductOptions
{
    ProductOptions() = default;
    ProductOptions(const Pick &pick, const ProductCommon &all)
        : x(pick[all.x])
        , out(pick[all.out])
        , norm(pick[all.norm])
        , bias(pick[all.bias])
        , eps(pick[all.eps])
        , normed(pick[all.normed])
        , biased(pick[all.biased])
    {}
    DType x = DType::F32, out = DType::F32, norm = DType::F32, bias = DType::F32;
    float eps = 1e-5f;
    bool normed = false, biased = false, add = false;

    /// null without
    const TestWeight *normWeight(Bench &bench, std::int64_t cols) const
    {
        return normed ? &bench.weight(norm, 1, cols, 1, 9) : nullptr;
    }
    const TestWeight *biasWeight(Bench &bench, std::int64_t cols, int salt) const
    {
        return biased ? &bench.weight(bias, 1, cols, 1, salt) : nullptr;
    }
    /// With a norm every other row has an RMS of 1e-3, so that eps counts.
    Matrix input(Bench &bench, std::int64_t rows, std::int64_t cols, float scale = 1) const;
};

/// How types of weights share out the cases of products. Kernels differ by their decoders alone:
/// where there is no time for all cases F32 and Q4_K, for numbers and for blocks, meet most of
/// them, and each other type has a few, with one value of each group of values.
class TypeShare
{
public:
    TypeShare(Bench &bench, DType type);
    bool isLarge() const { return m_large; }
    std::size_t cases(std::size_t ofLarge, std::size_t ofSmall) const
    {
        return m_large ? ofLarge : ofSmall;
    }
    template <class T>
    std::vector<T> values(const std::vector<std::vector<T>> &groups) const
    {
        std::vector<T> all;
        for (const std::vector<T> &group : groups) {
            if (m_large)
                all.insert(all.end(), group.begin(), group.end());
            else
                all.push_back(group[m_number % group.size()]);
        }
        return all;
    }

private:
    bool m_large;
    std::size_t m_number; // of the type
};

LinearInput inputOf(const Tensor &x, const TestWeight *norm, float eps);
const Weight *weightOf(const TestWeight *vector);          // null of null
double valueOf(const TestWeight *vector, std::int64_t at); // 0 of null

/// Widths of x by number, odd ones where blocks allow.
std::int64_t productWidth(DType type, std::size_t number);
std::vector<std::size_t> productWidths();

} // namespace fireside::conformance
