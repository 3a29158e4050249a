#include "tests/conformance/products.h"

#include <cmath>

// Products of activations with activations.
namespace fireside::conformance {
namespace {

using BatchedProductTest = OpTest;

struct Sizes
{
    std::int64_t batch, m, n, k;
};
std::string valueText(const Sizes &s)
{
    return std::to_string(s.batch) + "×" + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
           std::to_string(s.k);
}
enum class Form { OneAfterAnother, Interleaved, SharedA, SharedB };

struct ProductCase : Sizes
{
    bool transpose;
    Form form;
};

/// `batch` matrices [rows, cols], below each other or side by side (as heads are), or one for all.
struct Operand
{
    Matrix all;
    std::int64_t rows, cols, batch;
    bool sideBySide, shared;
    Tensor tensor;
    std::int64_t distance = 0;

    float at(std::int64_t b, std::int64_t r, std::int64_t c) const
    {
        const std::int64_t index = shared ? 0 : b;
        return sideBySide ? all.at(r, index * cols + c) : all.at(index * rows + r, c);
    }
};

Operand operand(Bench &bench, std::int64_t batch, std::int64_t rows, std::int64_t cols, DType type,
                bool sideBySide, bool shared, bool output)
{
    Operand o;
    const std::int64_t count = shared ? 1 : batch;
    o.rows = rows;
    o.cols = cols;
    o.batch = batch;
    o.sideBySide = sideBySide;
    o.shared = shared;
    o.all = sideBySide ? bench.numbers(rows, count * cols, type)
                       : bench.numbers(count * rows, cols, type);
    o.tensor = output ? bench.out(o.all.rows, o.all.cols, type) : bench.in(o.all, type);
    o.distance = shared ? 0 : sideBySide ? cols : rows * o.tensor.stride;
    return o;
}

void productCase(Bench &bench, const ProductCase &s, DType aType, DType bType, DType outType)
{
    const bool beside = s.form == Form::Interleaved;
    const Operand a =
        operand(bench, s.batch, s.m, s.k, aType, beside, s.form == Form::SharedA, false);
    const Operand b = operand(bench, s.batch, s.transpose ? s.n : s.k, s.transpose ? s.k : s.n,
                              bType, beside, s.form == Form::SharedB, false);
    const Operand out = operand(bench, s.batch, s.m, s.n, outType, beside, false, true);
    BatchShape shape;
    shape.batch = s.batch;
    shape.m = s.m;
    shape.n = s.n;
    shape.k = s.k;
    shape.aStride = a.distance;
    shape.bStride = b.distance;
    shape.outStride = out.distance;
    shape.transposeB = s.transpose;
    const auto first = [&](const Operand &o) {
        return beside ? o.tensor.columns(0, o.cols) : o.tensor;
    };
    if (!bench.run([&](Commands &c) {
            c.record(op::BatchedProduct{first(a), first(b), shape, first(out)});
        }))
        return;
    std::vector<double> reference(out.all.v.size()), magnitude(out.all.v.size());
    for (std::int64_t i = 0; i < s.batch; ++i)
        for (std::int64_t r = 0; r < s.m; ++r)
            for (std::int64_t c = 0; c < s.n; ++c) {
                double sum = 0, squares = 0;
                for (std::int64_t j = 0; j < s.k; ++j) {
                    const double term =
                        static_cast<double>(a.at(i, r, j)) *
                        static_cast<double>(s.transpose ? b.at(i, c, j) : b.at(i, j, c));
                    sum += term;
                    squares += term * term;
                }
                const auto index = static_cast<std::size_t>(beside ? r * s.batch * s.n + i * s.n + c
                                                                   : (i * s.m + r) * s.n + c);
                reference[index] = sum;
                magnitude[index] = std::sqrt(squares);
            }
    double tolerance = bench.target().tolerance({aType, bType, outType});
    if (bench.target().uses("cooperative matrix"))
        tolerance = 2e-3;
    bench.expect(out.tensor, std::move(reference), tolerance, std::move(magnitude));
}

TEST_P(BatchedProductTest, Batched)
{
    Cases cases("batchedProduct");
    const auto shape = cases.option<Sizes>("sizes", {{1, 1, 1, 1},
                                                     {3, 1, 33, 31},
                                                     {2, 9, 3, 64},
                                                     {4, 33, 65, 96},
                                                     {1, 64, 64, 256},
                                                     {2, 257, 31, 33},
                                                     {8, 3, 257, 32},
                                                     {0, 3, 3, 3},
                                                     {2, 0, 5, 8}});
    const auto transpose = cases.option("transposed");
    const auto form = cases.option<Form>(
        "form", {Form::OneAfterAnother, Form::Interleaved, Form::SharedA, Form::SharedB},
        {"one after another", "interleaved", "a shared", "b shared"});
    const auto a = cases.option("a", bench.activations());
    const auto b = cases.option("b", bench.activations());
    const auto out = cases.option("out", bench.activations());
    for (const Pick &pick : bench.draw(cases, 20)) {
        bench.start(pick);
        productCase(bench, {pick[shape], pick[transpose], pick[form]}, pick[a], pick[b], pick[out]);
    }
}

FIRESIDE_ON_EVERY_DEVICE(BatchedProductTest);

} // namespace
} // namespace fireside::conformance
