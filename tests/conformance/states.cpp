#include "tests/conformance/states.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <cmath>

namespace fireside::conformance {
namespace {

constexpr std::int64_t kBehind = 3;

Tensor wholeState(Buffer *buffer)
{
    const auto count = static_cast<std::int64_t>(buffer->size() / sizeof(float));
    return {buffer, 0, DType::F32, 1, count, count};
}

} // namespace

ItemStates::ItemStates(Bench &bench, const Lengths &lengths, std::int64_t numbers)
    : m_numbers(numbers)
{
    bench.finish();
    Commands &c = bench.target().commands();
    const BatchPlan one = BatchPlan::plain(1);
    c.begin(one.batch());
    for (const std::int64_t rows : lengths.all) {
        Item &item = m_items.emplace_back();
        const std::int64_t size = kOffset + numbers + kBehind;
        item.image = bench.numbers(1, size).v;
        item.buffer =
            bench.target().device().allocate(item.image.size() * sizeof(float), "a state");
        c.upload(item.image, wholeState(item.buffer.get()));
        item.layers.resize(kLayer + 1);
        item.layers.back().state = item.buffer.get();
        item.layers.back().stateSize = size;
        const auto first = item.image.begin() + kOffset;
        all.insert(all.end(), first, first + numbers);
        plan.item(rows, 5, item.layers);
    }
    c.sync();
}

void ItemStates::check(Bench &bench, double tolerance)
{
    try {
        std::vector<float> states;
        for (const Item &item : m_items) {
            std::vector<float> now(item.image.size());
            bench.target().commands().read(wholeState(item.buffer.get()), now);
            const auto first = now.begin() + kOffset, end = first + m_numbers;
            states.insert(states.end(), first, end);
            if (!std::equal(now.begin(), first, item.image.begin()) ||
                !std::equal(end, now.end(), item.image.end() - kBehind))
                bench.fail("numbers beside the state were changed");
        }
        bench.compare(states, m_numbers, all, tolerance);
    } catch (const Error &error) {
        bench.fail(std::string("reading the states threw: ") + error.what());
    }
}

std::unique_ptr<TestWeight> negativeWeight(Bench &bench, DType type, std::int64_t rows,
                                           std::int64_t cols)
{
    const TestWeight &any = bench.weight(type, rows, cols, 1, 3);
    auto made = std::make_unique<TestWeight>();
    made->bytes = any.bytes;
    const std::size_t element = info(type).blockBytes;
    for (std::size_t end = element; end <= made->bytes.size(); end += element)
        made->bytes[end - 1] |= std::byte{0x80}; // the sign
    for (const double value : any.values)
        made->values.push_back(-std::fabs(value));
    WeightSource source;
    source.name = "test.decay";
    source.dtype = type;
    source.rows = rows;
    source.cols = cols;
    source.bytes = made->bytes;
    made->weight = bench.target().device().addWeight(source);
    bench.target().device().finishWeights();
    return made;
}

Matrix numbersAbout(Bench &bench, float mean, std::int64_t rows, std::int64_t cols, DType type)
{
    Matrix x = bench.numbers(rows, cols);
    for (float &value : x.v) {
        value += mean;
        if (type == DType::F16)
            value = halfToFloat(floatToHalf(value));
    }
    return x;
}

} // namespace fireside::conformance
