#include "tests/conformance/experts.h"

#include <cmath>
#include <utility>

// Weighted sums over the experts of each token.
namespace fireside::conformance {
namespace {

class ExpertLinearTest : public TypesTest
{
protected:
    /// The case has been started.
    void downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n, const ProductOptions &o);
};

void ExpertLinearTest::downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n,
                                const ProductOptions &o)
{
    const TestWeight &down = bench.weight(type(), n, ffn, s.experts, 2);
    const TestWeight *const bias = biasOf(bench, o.biased, o, n, s.experts, 7);
    const auto ids = chosen(bench, s.T, s.k, s.live);
    const Matrix x = bench.numbers(s.T * s.k, ffn, o.x);
    const Matrix share = bench.numbers(s.T, s.k);
    const Matrix before = bench.numbers(s.T, n, o.out);
    const Tensor input = bench.in(x, o.x), which = bench.ids(ids, s.k);
    const Tensor weights = bench.in(share, DType::F32, {0, 0});
    const Tensor out = o.add ? bench.in(before, o.out) : bench.out(s.T, n, o.out);
    if (!bench.run([&](Commands &c) {
            c.record(op::ExpertLinear{input, which, weights, *down.weight,
                                      bias ? bias->weight.get() : nullptr, out,
                                      o.add ? Accumulate::AddToOutput : Accumulate::Overwrite});
        }))
        return;
    const auto rows = doubles(x);
    std::vector<double> reference, magnitude;
    for (std::int64_t t = 0; t < s.T; ++t)
        for (std::int64_t r = 0; r < n; ++r) {
            double value = o.add ? static_cast<double>(before.at(t, r)) : 0, squares = 0;
            for (std::int64_t j = 0; j < s.k; ++j) {
                const std::int64_t e = ids[static_cast<std::size_t>(t * s.k + j)];
                const Sum sum =
                    product(rows, static_cast<std::size_t>((t * s.k + j) * ffn), down, r, e);
                const double w = static_cast<double>(share.at(t, j));
                value += w * (sum.value + (bias ? bias->at(0, r, e) : 0));
                squares += w * sum.magnitude * w * sum.magnitude;
            }
            reference.push_back(value);
            magnitude.push_back(std::sqrt(squares));
        }
    bench.expect(out, std::move(reference),
                 bench.target().productTolerance(type(), {o.x, o.out}, s.T), std::move(magnitude));
}

TEST_P(ExpertLinearTest, Rows)
{
    // Rows of fewer threads than a subgroup has among them.
    const std::int64_t block = info(type()).blockElements, narrow = (95 + block) / block * block;
    const TypeShare share(bench, type());
    std::vector<std::vector<ExpertCase>> groups = kExpertCases;
    groups[0].insert(groups[0].end(), {{3, 8, 32, 32}, {2, 3, 8, 8}});
    Cases cases("expertLinear", name(type()));
    const auto experts = cases.option("experts", share.values(groups));
    cases.first(experts);
    const auto ffn = cases.option<std::int64_t>("ffn", {narrow, 768});
    const auto outs = cases.option<std::int64_t>("outs", {32, 65});
    const auto add = cases.option("added");
    const auto biased = cases.option("biased");
    const auto bias = cases.option("bias", std::vector{DType::F32, DType::F16, DType::BF16});
    const auto x = cases.option("x", bench.activations());
    const auto out = cases.option("out", bench.activations());
    for (const Pick &pick : bench.draw(cases, share.cases(6, 3))) {
        ProductOptions o;
        o.x = pick[x];
        o.out = pick[out];
        o.biased = pick[biased];
        o.bias = pick[bias];
        o.add = pick[add];
        bench.start(pick, "expertLinear");
        downCase(pick[experts], pick[ffn], pick[outs], o);
    }
}

TEST_P(ExpertLinearTest, AddsToTheOutput)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    for (const ExpertCase &experts : {ExpertCase{2, 2, 4, 2}, ExpertCase{33, 2, 8, 3}}) {
        ProductOptions o;
        o.add = true;
        bench.start("expertLinear", "added, " + valueText(experts), name(type()));
        downCase(experts, 256, 32, o);
    }
}

FIRESIDE_ON_EVERY_DEVICE_AND_TYPE(ExpertLinearTest);

} // namespace
} // namespace fireside::conformance
