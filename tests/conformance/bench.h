#pragma once
#include "engine/backend/op.h"
#include "tests/conformance/draw.h"
#include "tests/conformance/target.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace fireside::conformance {

/// A dense matrix of the host.
struct Matrix
{
    std::int64_t rows = 0, cols = 0;
    std::vector<float> v;

    float at(std::int64_t row, std::int64_t col) const
    {
        return v[static_cast<std::size_t>(row * cols + col)];
    }
};

/// How a matrix lies in memory: elements before the first one, and between rows.
struct Layout
{
    std::int64_t lead = 0, gap = 0;
};

/// The batch of a pass, owned.
struct BatchPlan
{
    std::vector<std::int32_t> ids, positions, outputRows;
    std::vector<BatchItem> items;

    /// One item of `rows` rows without cache.
    static BatchPlan plain(std::int64_t rows);
    /// An item that continues a cache; positions go on from `past`.
    BatchPlan &item(std::int64_t rows, std::int64_t past = 0, std::span<const KvLayer> cache = {});
    std::int64_t rows() const { return static_cast<std::int64_t>(ids.size()); }
    Batch batch() const { return {ids, positions, items, outputRows}; }
};

/// Runs cases of ops on one device and compares what they write with references. Cases of the same
/// batch are recorded together and checked at finish(): what an op should not touch (its inputs,
/// the elements around its output) must then be as it was before, bit by bit.
class Bench
{
public:
    explicit Bench(const std::string &device);
    ~Bench();
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    Target &target() { return m_target; }
    std::mt19937 &random() { return m_random; }
    /// Whether the device computes with activations of this type at all.
    bool has(DType activation);

    /// The types activations can have on the device.
    std::vector<DType> activations();

    /// Cases that meet all pairs of options where there is time for that, else `few` of them (0:
    /// all the same). What runs counts as met.
    std::vector<Pick> draw(const Cases &cases, std::size_t few);
    /// The next case.
    void start(const Pick &pick) { start(pick, pick.of->op()); }
    void start(const Pick &pick, const BatchPlan &plan) { start(pick, pick.of->op(), plan); }
    /// One of several ops of a case.
    void start(const Pick &pick, const std::string &op);
    void start(const Pick &pick, const std::string &op, const BatchPlan &plan);

    /// The next case: an op, what is special about it, and the types for the statistics.
    void start(const std::string &op, const std::string &what, const std::string &types = "");
    /// The same, in a pass with this batch of its own.
    void start(const std::string &op, const std::string &what, const std::string &types,
               const BatchPlan &plan);

    const TestWeight &weight(DType type, std::int64_t rows, std::int64_t cols,
                             std::int64_t depth = 1, int salt = 0);

    // Random numbers of normal distribution, rounded to what `type` can hold.
    Matrix numbers(std::int64_t rows, std::int64_t cols, DType type = DType::F32, float scale = 1);
    std::vector<std::int32_t> integers(std::int64_t count, std::int32_t first, std::int32_t last);
    Layout layout(); // some layout, often an awkward one
    DType activation() { return m_random() % 2 == 0 ? DType::F32 : DType::F16; }

    // Tensors of the pass. What lies between the rows of inputs is NaN.
    Tensor in(const Matrix &values, DType type, const Layout &layout);
    Tensor in(const Matrix &values, DType type) { return in(values, type, layout()); }
    Tensor ids(const std::vector<std::int32_t> &values, std::int64_t cols = 1);
    /// Full of NaN.
    Tensor out(std::int64_t rows, std::int64_t cols, DType type, const Layout &layout);
    Tensor out(std::int64_t rows, std::int64_t cols, DType type)
    {
        return out(rows, cols, type, layout());
    }
    Tensor idsOut(std::int64_t rows, std::int64_t cols = 1);

    /// Records the case. False when the device does not support it, or it threw.
    bool run(const std::function<void(Commands &)> &record);

    /// The result of the case. Errors are measured against the norm of the reference, or of
    /// `magnitude` (what sums of such terms come to) where that is larger.
    void expect(const Tensor &out, std::vector<double> reference, double tolerance,
                std::vector<double> magnitude = {});
    void expectIds(const Tensor &out, std::vector<std::int32_t> reference);
    /// Each number as it is: what was only chosen or moved.
    void expectExactly(const Tensor &out, std::vector<double> reference)
    {
        expect(out, std::move(reference), 0);
    }
    /// Nothing to compare here: the test looks at this tensor itself.
    void ignore(const Tensor &out);

    /// Runs what is recorded and checks it.
    void finish();

    /// For what is compared outside of a pass.
    void compare(const std::vector<float> &actual, std::int64_t cols,
                 const std::vector<double> &reference, double tolerance,
                 const std::vector<double> &magnitude = {});
    void fail(const std::string &text);
    std::vector<float> read(const Tensor &tensor);

private:
    struct Slot // memory of one tensor, with what was written to it
    {
        Tensor raw;
        std::vector<float> floats;
        std::vector<std::int32_t> integers;
        std::vector<bool> written; // by an op, as expected
        std::size_t caseIndex = 0;
    };
    struct Case
    {
        std::string op, what, types;
        bool ran = true;
        const Pick *pick = nullptr; // until it ran
    };
    struct Expectation
    {
        std::size_t caseIndex = 0;
        Tensor out;
        std::vector<double> reference, magnitude;
        std::vector<std::int32_t> ids;
        double tolerance = 0;
        bool ignored = false;
    };
    Tensor place(std::vector<float> raw, std::int64_t rows, std::int64_t cols, DType type,
                 const Layout &layout);
    Tensor placeIntegers(std::vector<std::int32_t> raw, std::int64_t rows, std::int64_t cols,
                         std::int64_t lead);
    void open(); // begins the pass if none is open
    void abandon();
    void check(const Expectation &expected);
    void checkSurroundings();
    Slot *slotOf(const Tensor &tensor);

    Target &m_target;
    std::mt19937 m_random;
    Case m_current;
    std::vector<Case> m_cases;
    std::vector<Slot> m_slots;
    std::vector<Expectation> m_expectations;
    BatchPlan m_plan;
    std::size_t m_used = 0; // bytes of scratch
    bool m_open = false, m_ownBatch = false;
};

/// A test that runs on each device.
class OpTest : public testing::TestWithParam<std::string>
{
protected:
    Bench bench{GetParam()};
    void TearDown() override { bench.finish(); }
};

// Passes over the devices under test, whose names become part of the tests' names.
std::string deviceName(const testing::TestParamInfo<std::string> &info);
#define FIRESIDE_ON_EVERY_DEVICE(suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(targetIds()), deviceName)

/// With a device and a weight type.
class TypesTest : public testing::TestWithParam<std::tuple<std::string, DType>>
{
protected:
    Bench bench{std::get<0>(GetParam())};
    DType type() const { return std::get<1>(GetParam()); }
    void TearDown() override { bench.finish(); }
};
#define FIRESIDE_ON_EVERY_DEVICE_AND_TYPE(suite)                                                   \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        On, suite,                                                                                 \
        testing::Combine(testing::ValuesIn(targetIds()), testing::ValuesIn(weightTypes())),        \
        [](const auto &test) {                                                                     \
            return deviceName({std::get<0>(test.param), 0}) + "_" + name(std::get<1>(test.param)); \
        })

std::string shapeText(std::int64_t rows, std::int64_t cols);
std::string typesText(std::initializer_list<DType> types); // "F32→F16"

} // namespace fireside::conformance
