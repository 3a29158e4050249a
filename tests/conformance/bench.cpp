#include "tests/conformance/bench.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "tests/conformance/pairs.h"
#include "tests/conformance/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace fireside::conformance {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kSentinel = -77.25f; // exact in every type
constexpr std::int32_t kIdSentinel = -12345;
constexpr std::int64_t kTail = 5;        // elements behind a tensor that must stay
constexpr std::int64_t kMaxFailures = 8; // reported per op and device; the others are counted
constexpr std::int64_t kIdsOfAPass = 4;  // rows of a pass whose ops do not care

std::size_t size(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

bool same(float a, float b)
{
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

double norm(const std::vector<double> &values)
{
    double sum = 0;
    for (const double v : values)
        sum += std::isfinite(v) ? v * v : 0;
    return std::sqrt(sum);
}

/// The smallest numbers of F16 lie 2^-24 apart: what is rounded to the next of them is right,
/// however large the error is beside it.
void acceptSmallest(const std::vector<float> &actual, std::vector<double> &reference)
{
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double value = static_cast<double>(actual[i]);
        if (std::fabs(reference[i]) < 0x1p-14 && std::fabs(value - reference[i]) <= 0x1p-25)
            reference[i] = value;
    }
}

} // namespace

BatchPlan BatchPlan::plain(std::int64_t rows)
{
    BatchPlan plan;
    plan.item(rows);
    return plan;
}

BatchPlan &BatchPlan::item(std::int64_t count, std::int64_t past, std::span<const KvLayer> cache)
{
    items.push_back({cache, rows(), count, past});
    for (std::int64_t i = 0; i < count; ++i) {
        ids.push_back(static_cast<std::int32_t>(rows() % 7));
        positions.push_back(static_cast<std::int32_t>(past + i));
    }
    return *this;
}

Bench::Bench(const std::string &device)
    : m_target(conformance::target(device))
{
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    std::uint32_t hash = seed();
    for (const char c : test != nullptr ? std::string(test->name()) : std::string())
        hash = hash * 31 + static_cast<std::uint32_t>(c);
    m_random.seed(hash);
}

Bench::~Bench()
{
    m_target.forgetWeights();
}

bool Bench::has(DType activation)
{
    if (activation != DType::F16)
        return true;
    open();
    try {
        const Tensor probe = m_target.commands().scratch(1, 1, DType::F16);
        m_target.commands().upload(std::vector<float>{1.0f}, probe);
        return true;
    } catch (const Error &error) {
        countSkip(m_target.id(), "F16 activations", error.what());
        return false;
    }
}

std::vector<DType> Bench::activations()
{
    return has(DType::F16) ? std::vector{DType::F32, DType::F16} : std::vector{DType::F32};
}

std::vector<Pick> Bench::draw(const Cases &cases, std::size_t few)
{
    const bool all = m_target.thorough();
    pairsMet().declare(m_target.id(), cases, all || few == 0);
    std::vector<Pick> picks;
    for (int round = 0; round < (all ? m_target.rounds() : 1); ++round)
        for (Pick &pick : cases.allPairs(m_random))
            picks.push_back(std::move(pick));
    if (!all && few > 0 && few < picks.size())
        picks.resize(few);
    return picks;
}

void Bench::start(const Pick &pick, const std::string &op)
{
    start(op, pick.text(), pick.types());
    m_current.pick = &pick;
}

void Bench::start(const Pick &pick, const std::string &op, const BatchPlan &plan)
{
    start(op, pick.text(), pick.types(), plan);
    m_current.pick = &pick;
}

void Bench::start(const std::string &op, const std::string &what, const std::string &types)
{
    if (m_ownBatch || m_used > Target::kScratch / 2)
        finish();
    m_current = {op, what, types, true, nullptr};
}

void Bench::start(const std::string &op, const std::string &what, const std::string &types,
                  const BatchPlan &plan)
{
    finish();
    m_current = {op, what, types, true, nullptr};
    m_plan = plan;
    m_ownBatch = true;
}

const TestWeight &Bench::weight(DType type, std::int64_t rows, std::int64_t cols,
                                std::int64_t depth, int salt)
{
    // Weights come before a pass is recorded, as in a program.
    if (!m_target.hasWeight(type, rows, cols, depth, salt) && m_open) {
        const bool ownBatch = m_ownBatch;
        const BatchPlan plan = m_plan;
        const Case current = m_current;
        finish();
        m_current = current;
        m_ownBatch = ownBatch;
        m_plan = plan;
    }
    return m_target.weight(type, rows, cols, depth, salt);
}

void Bench::open()
{
    if (m_open)
        return;
    if (!m_ownBatch)
        m_plan = BatchPlan::plain(kIdsOfAPass);
    m_target.commands().begin(m_plan.batch());
    m_open = true;
    m_used = 0;
}

Matrix Bench::numbers(std::int64_t rows, std::int64_t cols, DType type, float scale)
{
    Matrix matrix{rows, cols, std::vector<float>(size(rows * cols))};
    std::normal_distribution<float> normal;
    for (float &value : matrix.v) {
        value = normal(m_random) * scale;
        if (type == DType::F16)
            value = halfToFloat(floatToHalf(value));
    }
    return matrix;
}

std::vector<std::int32_t> Bench::integers(std::int64_t count, std::int32_t first, std::int32_t last)
{
    std::uniform_int_distribution<std::int32_t> uniform(first, last);
    std::vector<std::int32_t> values(size(count));
    for (std::int32_t &value : values)
        value = uniform(m_random);
    return values;
}

Layout Bench::layout()
{
    constexpr Layout kLayouts[] = {{0, 0}, {0, 0}, {3, 5}, {8, 0}, {1, 1}, {0, 2}, {4, 8}, {32, 3}};
    return kLayouts[m_random() % std::size(kLayouts)];
}

Tensor Bench::place(std::vector<float> raw, std::int64_t rows, std::int64_t cols, DType type,
                    const Layout &layout)
{
    open();
    Commands &c = m_target.commands();
    Slot slot;
    slot.raw = c.scratch(1, static_cast<std::int64_t>(raw.size()), type);
    c.upload(raw, slot.raw);
    slot.floats = std::move(raw);
    slot.written.resize(slot.floats.size());
    slot.caseIndex = m_cases.size();
    m_used += slot.floats.size() * 4 + 64;
    Tensor view = slot.raw;
    view.offset += size(layout.lead) * info(type).blockBytes;
    view.rows = rows;
    view.cols = cols;
    view.stride = cols + layout.gap;
    m_slots.push_back(std::move(slot));
    return view;
}

Tensor Bench::in(const Matrix &values, DType type, const Layout &layout)
{
    const std::int64_t stride = values.cols + layout.gap;
    std::vector<float> raw(size(layout.lead + values.rows * stride + kTail), kNan);
    for (std::int64_t r = 0; r < values.rows; ++r)
        std::copy_n(values.v.begin() + r * values.cols, values.cols,
                    raw.begin() + layout.lead + r * stride);
    return place(std::move(raw), values.rows, values.cols, type, layout);
}

Tensor Bench::out(std::int64_t rows, std::int64_t cols, DType type, const Layout &layout)
{
    const std::int64_t stride = cols + layout.gap;
    std::vector<float> raw(size(layout.lead + rows * stride + kTail), kSentinel);
    for (std::int64_t r = 0; r < rows; ++r)
        std::fill_n(raw.begin() + layout.lead + r * stride, cols, kNan);
    return place(std::move(raw), rows, cols, type, layout);
}

Tensor Bench::placeIntegers(std::vector<std::int32_t> raw, std::int64_t rows, std::int64_t cols,
                            std::int64_t lead)
{
    open();
    Commands &c = m_target.commands();
    Slot slot;
    slot.raw = c.scratch(1, static_cast<std::int64_t>(raw.size()), DType::I32);
    c.upload(raw, slot.raw);
    slot.integers = std::move(raw);
    slot.written.resize(slot.integers.size());
    slot.caseIndex = m_cases.size();
    m_used += slot.integers.size() * 4 + 64;
    Tensor view = slot.raw;
    view.offset += size(lead) * 4;
    view.rows = rows;
    view.cols = cols;
    view.stride = cols;
    m_slots.push_back(std::move(slot));
    return view;
}

Tensor Bench::ids(const std::vector<std::int32_t> &values, std::int64_t cols)
{
    std::vector<std::int32_t> raw(1, kIdSentinel);
    raw.insert(raw.end(), values.begin(), values.end());
    raw.resize(raw.size() + size(kTail), kIdSentinel);
    return placeIntegers(std::move(raw), static_cast<std::int64_t>(values.size()) / cols, cols, 1);
}

Tensor Bench::idsOut(std::int64_t rows, std::int64_t cols)
{
    return placeIntegers(std::vector<std::int32_t>(size(rows * cols + 1 + kTail), kIdSentinel),
                         rows, cols, 1);
}

bool Bench::run(const std::function<void(Commands &)> &record)
{
    open();
    try {
        record(m_target.commands());
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Unsupported)
            countSkip(m_target.id(), m_current.op, error.what());
        else
            fail(std::string("threw: ") + error.what());
        m_current.ran = false;
        m_cases.push_back(m_current);
        return false;
    }
    countCase(m_target.id(), m_current.op, m_current.types);
    if (m_current.pick != nullptr)
        pairsMet().meet(m_target.id(), *std::exchange(m_current.pick, nullptr));
    m_cases.push_back(m_current);
    return true;
}

void Bench::expect(const Tensor &out, std::vector<double> reference, double tolerance,
                   std::vector<double> magnitude)
{
    Expectation e;
    e.caseIndex = m_cases.size() - 1;
    e.out = out;
    e.reference = std::move(reference);
    e.magnitude = std::move(magnitude);
    e.tolerance = tolerance;
    m_expectations.push_back(std::move(e));
}

void Bench::expectIds(const Tensor &out, std::vector<std::int32_t> reference)
{
    Expectation e;
    e.caseIndex = m_cases.size() - 1;
    e.out = out;
    e.ids = std::move(reference);
    m_expectations.push_back(std::move(e));
}

void Bench::ignore(const Tensor &out)
{
    Expectation e;
    e.caseIndex = m_cases.size() - 1;
    e.out = out;
    e.ignored = true;
    m_expectations.push_back(std::move(e));
}

std::vector<float> Bench::read(const Tensor &tensor)
{
    std::vector<float> values(size(tensor.rows * tensor.cols));
    m_target.commands().read(tensor, values);
    return values;
}

Bench::Slot *Bench::slotOf(const Tensor &tensor)
{
    for (auto slot = m_slots.rbegin(); slot != m_slots.rend(); ++slot) {
        const std::size_t bytes = slot->written.size() * info(slot->raw.dtype).blockBytes;
        if (slot->raw.buffer == tensor.buffer && tensor.offset >= slot->raw.offset &&
            tensor.offset < slot->raw.offset + bytes)
            return &*slot;
    }
    return nullptr;
}

void Bench::finish()
{
    if (m_open) {
        try {
            m_target.commands().sync();
            for (const Expectation &expected : m_expectations)
                check(expected);
            checkSurroundings();
        } catch (const Error &error) {
            fail(std::string("a pass of ") + std::to_string(m_cases.size()) +
                 " cases threw: " + error.what());
            m_target.resetCommands();
        }
    }
    abandon();
}

void Bench::abandon()
{
    m_slots.clear();
    m_cases.clear();
    m_expectations.clear();
    m_open = m_ownBatch = false;
    m_used = 0;
}

void Bench::check(const Expectation &expected)
{
    m_current = m_cases[expected.caseIndex];
    const Tensor &out = expected.out;
    if (Slot *const slot = slotOf(out)) {
        const std::size_t first = (out.offset - slot->raw.offset) / info(out.dtype).blockBytes;
        for (std::int64_t r = 0; r < out.rows; ++r)
            for (std::int64_t c = 0; c < out.cols; ++c)
                slot->written[first + size(r * out.stride + c)] = true;
    }
    if (expected.ignored)
        return;
    if (out.dtype != DType::I32) {
        const std::vector<float> actual = read(out);
        std::vector<double> reference = expected.reference;
        if (out.dtype == DType::F16 && actual.size() == reference.size())
            acceptSmallest(actual, reference);
        compare(actual, out.cols, reference, expected.tolerance, expected.magnitude);
        return;
    }
    std::vector<std::int32_t> actual(size(out.rows * out.cols));
    m_target.commands().read(out, actual);
    for (std::size_t i = 0; i < actual.size(); ++i)
        if (actual[i] != expected.ids.at(i)) {
            fail("element " + std::to_string(i) + " is " + std::to_string(actual[i]) +
                 " instead of " + std::to_string(expected.ids[i]));
            return;
        }
}

void Bench::compare(const std::vector<float> &actual, std::int64_t cols,
                    const std::vector<double> &reference, double tolerance,
                    const std::vector<double> &magnitude)
{
    if (actual.size() != reference.size()) {
        fail("the reference has " + std::to_string(reference.size()) + " values, the output " +
             std::to_string(actual.size()));
        return;
    }
    if (actual.empty())
        return;
    const double scale = std::max(norm(reference), norm(magnitude));
    const double rms = scale / std::sqrt(static_cast<double>(reference.size()));
    double sum = 0, worst = -1;
    std::size_t wrong = actual.size(), where = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (static_cast<double>(actual[i]) == reference[i])
            continue; // infinities too
        const double difference = std::fabs(static_cast<double>(actual[i]) - reference[i]);
        sum += difference * difference;
        if (!(difference <= worst)) {
            worst = difference;
            where = i;
        }
        // One number far off must not hide among many good ones.
        if (!(difference <= 20 * tolerance * (std::fabs(reference[i]) + rms)) &&
            wrong == actual.size())
            wrong = i;
    }
    const double error = scale > 0 ? std::sqrt(sum) / scale : std::sqrt(sum);
    // The mean over few numbers varies.
    const double allowed = tolerance * (1 + 5 / std::sqrt(static_cast<double>(actual.size())));
    noteError(m_target.id(), m_current.op, error, allowed);
    if (error <= allowed && wrong == actual.size())
        return;
    if (wrong == actual.size())
        wrong = where;
    const auto row = static_cast<std::int64_t>(wrong) / cols;
    const auto col = static_cast<std::int64_t>(wrong) % cols;
    char text[256];
    std::snprintf(text, sizeof text,
                  "relative error %.3g, allowed %.3g; [%lld, %lld] is %.8g instead of %.8g", error,
                  tolerance, static_cast<long long>(row), static_cast<long long>(col),
                  static_cast<double>(actual[wrong]), reference[wrong]);
    fail(text);
}

void Bench::checkSurroundings()
{
    for (const Slot &slot : m_slots) {
        if (slot.caseIndex >= m_cases.size() || !m_cases[slot.caseIndex].ran)
            continue; // what an op had done when it threw is its own affair
        m_current = m_cases[slot.caseIndex];
        const std::size_t count = slot.written.size();
        std::vector<float> floats(slot.floats.size());
        std::vector<std::int32_t> integers(slot.integers.size());
        if (slot.raw.dtype == DType::I32)
            m_target.commands().read(slot.raw, integers);
        else
            m_target.commands().read(slot.raw, floats);
        for (std::size_t i = 0; i < count; ++i) {
            if (slot.written[i])
                continue;
            if (slot.raw.dtype == DType::I32 ? integers[i] == slot.integers[i]
                                             : same(floats[i], slot.floats[i]))
                continue;
            fail("element " + std::to_string(i) + " of " + std::to_string(count) +
                 ", which the op has no business with, was changed");
            break;
        }
    }
}

void Bench::fail(const std::string &text)
{
    countFailure(m_target.id(), m_current.op);
    const std::int64_t count = failures(m_target.id(), m_current.op);
    if (count > kMaxFailures)
        return;
    ADD_FAILURE() << m_current.op << " on " << m_target.id() << ", " << m_current.types << ", "
                  << m_current.what << ": " << text << " (seed " << seed() << ")"
                  << (count == kMaxFailures ? "\nfurther failures of this op are only counted"
                                            : "");
}

std::string deviceName(const testing::TestParamInfo<std::string> &info)
{
    std::string name = info.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

std::string typesText(std::initializer_list<DType> types)
{
    std::string text;
    for (const DType type : types)
        text += (text.empty() ? "" : "→") + std::string(name(type));
    return text;
}

} // namespace fireside::conformance
